// Spans that repeat data of their children.
import { rulesOf } from '../dialects/registry.ts'
import type { SpanView } from '../span-view/span-view.ts'

const conditions = rulesOf('repeats')

/** The model and usage of such a span are those of its children, so adding both would count the usage twice. */
export function repeatsChildren(span: SpanView): boolean {
  for (let i = 0; i < conditions.length; i++) if (conditions[i]!(span)) return true
  return false
}

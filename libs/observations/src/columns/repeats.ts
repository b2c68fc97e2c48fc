// Spans that repeat the usage of their children.
import { rulesOf } from '../dialects/registry.ts'
import type { SpanView } from '../span-view/span-view.ts'

const conditions = rulesOf('repeats')

/** True if the span repeats the model and usage of its children, which must not be counted twice. */
export function repeatsChildren(span: SpanView): boolean {
  for (let i = 0; i < conditions.length; i++) if (conditions[i]!(span)) return true
  return false
}

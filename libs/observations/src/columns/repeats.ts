import { rulesOf } from '../dialects/registry.ts'
import type { SpanView } from '../span-view/span-view.ts'

const conditions = rulesOf('repeats')

/** True if the model and usage of the span repeat the model and usage of its children. The repeated values must not be counted. */
export function repeatsChildren(span: SpanView): boolean {
  for (let i = 0; i < conditions.length; i++) if (conditions[i]!(span)) return true
  return false
}

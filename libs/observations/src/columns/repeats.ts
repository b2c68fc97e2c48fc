import { rulesOf } from '../dialects/registry.ts'
import type { SpanView } from '../span-view/span-view.ts'

const conditions = rulesOf('repeats')

/** If true, the span's model and usage must not be counted, because they repeat those of its children. */
export function repeatsChildren(span: SpanView): boolean {
  for (let i = 0; i < conditions.length; i++) if (conditions[i]!(span)) return true
  return false
}

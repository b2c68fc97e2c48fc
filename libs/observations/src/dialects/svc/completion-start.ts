// The first-token time from the product's own SDKs.
import { findFirst, type Rule, spanAttribute } from '../../rules/rules.ts'
import { microsOfIso } from '../../rules/time.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { parseJson, wireText } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

const rules = [spanAttribute('svc.observation.completion_start_time', 'set')]

export const saidStart: Rule<number> = {
  name: 'time of the SDK',
  read(span) {
    const entry = findFirst(span, rules)
    const time = entry < 0 ? undefined : timeOf(span, entry)
    if (entry >= 0 && time === undefined) span.lose('unfit_value', entry)
    return time
  },
}

/** All SDKs send a JSON string, but plain text is accepted, too. */
function timeOf(span: SpanView, entry: number): number | undefined {
  const value = span.attributes.value(entry)
  if (value.kind !== valueKind.text || value.end - value.start > 64) return undefined
  const text = wireText(span.source, value.start, value.end)
  const plain = text.startsWith('"') ? parseJson(text) : text
  return typeof plain === 'string' ? microsOfIso(plain) : undefined
}

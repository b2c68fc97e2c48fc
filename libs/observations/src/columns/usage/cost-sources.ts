// What the client says that a span cost. The order is the precedence. A cost that is said is never computed.

import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { atScale, moneyScale, parseDecimal, storableMoney } from '@svc-server/pricing/money'
import { attributeText } from '../../rules/attribute-text.ts'
import { findFirst, forColumn, type Rule, spanAttributes } from '../../rules/rules.ts'
import { setCount } from '../../rules/units.ts'
import { exactInt, valueKind } from '../../span-view/any-value.ts'
import { isJsonObject, numberText, parseJson } from '../../span-view/json-text.ts'
import type { KnownKey } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'

export const costDetailRules = spanAttributes('set', 'svc.observation.cost_details')

/** Reads into `amounts`, which is what each rule answers with. */
export function createCostSources(amounts: Amounts): readonly Rule<Amounts>[] {
  const source = (name: string, read: (span: SpanView) => boolean): Rule<Amounts> => ({
    name,
    read: span => (read(span) ? amounts : undefined),
  })
  const totalOf = (key: KnownKey) => {
    const rules = spanAttributes('set', key)
    return source(key, span => readTotal(span, findFirst(span, rules), amounts))
  }
  return forColumn('cost_details', [
    source('svc.observation.cost_details', span => readDetails(span, amounts)),
    totalOf('gen_ai.usage.cost'),
    totalOf('llm.cost.total'),
  ])
}

/** An empty object, and JSON that is no object, say that nothing is known; a text that is no JSON says nothing. */
function readDetails(span: SpanView, into: Amounts): boolean {
  const entry = findFirst(span, costDetailRules)
  if (entry < 0) return false
  const parsed = parseJson(attributeText(span, entry))
  if (parsed === undefined && span.attributes.kinds[entry] === valueKind.text) {
    span.lose('unreadable_json', entry)
    return false
  }
  into.clear()
  if (!isJsonObject(parsed)) {
    span.lose('unfit_value', entry)
    return true
  }
  for (const [name, value] of Object.entries(parsed)) {
    const units = money(span, entry, typeof value === 'string' ? value : (numberText(value) ?? ''))
    if (units === undefined) span.lose('unfit_value', entry)
    else setCount(into, name, units)
  }
  return true
}

function readTotal(span: SpanView, entry: number, into: Amounts): boolean {
  if (entry < 0) return false
  const value = span.attributes.value(entry)
  const { kind, number } = value
  const text =
    kind === valueKind.int ? exactInt(span.source.bytes, value) : kind === valueKind.double ? String(number) : attributeText(span, entry)
  const units = money(span, entry, text)
  if (units === undefined) {
    span.lose('unfit_value', entry)
    return false
  }
  into.clear()
  into.add('total', units)
  return true
}

/** Units of 1e-12. Undefined when the text is no decimal number. */
function money(span: SpanView, entry: number, text: string): Units | undefined {
  const decimal = parseDecimal(text)
  if (decimal === undefined) return undefined
  const units = atScale(decimal, moneyScale)
  return storableMoney(units <= Number.MAX_SAFE_INTEGER && units >= -Number.MAX_SAFE_INTEGER ? Number(units) : units, () =>
    span.lose('cost_clamped', entry),
  )
}

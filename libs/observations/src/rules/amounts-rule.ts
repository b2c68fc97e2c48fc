// How a dialect says what was used and what it cost, as named amounts; and amounts of money in attributes.
import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { atScale, moneyScale, parseDecimal, storableMoney } from '@svc-server/pricing/money'
import { exactInt, valueKind } from '../span-view/any-value.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { attributeText } from './attribute-text.ts'
import { findFirst, spanAttributes } from './rules.ts'

export interface AmountsRule {
  readonly name: string
  /** Fills `into`; false: ask the next rule. */
  readonly read: (span: SpanView, into: Amounts) => boolean
}

/** An attribute that is the whole cost. */
export function totalCost(key: string): AmountsRule {
  const rules = spanAttributes('set', key)
  return { name: key, read: (span, into) => readTotal(span, findFirst(span, rules), into) }
}

function readTotal(span: SpanView, entry: number, into: Amounts): boolean {
  if (entry < 0) return false
  const value = span.attributes.value(entry)
  const { kind, number } = value
  const text =
    kind === valueKind.int ? exactInt(span.source.bytes, value) : kind === valueKind.double ? String(number) : attributeText(span, entry)
  const units = moneyUnits(span, entry, text)
  if (units === undefined) {
    span.lose('unfit_value', entry)
    return false
  }
  into.clear()
  into.add('total', units)
  return true
}

/** Units of 1e-12. Undefined when the text is no decimal number. */
export function moneyUnits(span: SpanView, entry: number, text: string): Units | undefined {
  const decimal = parseDecimal(text)
  if (decimal === undefined) return undefined
  const units = atScale(decimal, moneyScale)
  return storableMoney(units <= Number.MAX_SAFE_INTEGER && units >= -Number.MAX_SAFE_INTEGER ? Number(units) : units, () =>
    span.lose('cost_clamped', entry),
  )
}

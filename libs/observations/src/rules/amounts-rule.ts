// Describes how a dialect reports usage and cost as named amounts.
import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { atScale, moneyScale, parseDecimal, storableMoney } from '@svc-server/pricing/money'
import type { SpanView } from '../span-view/span-view.ts'

export interface AmountsRule {
  readonly name: string
  /** Fills `into`, or returns false. */
  readonly read: (span: SpanView, into: Amounts) => boolean
}

/** A dollar sign or `USD`, before or after a number. */
const dollars = /^\s*(?:(?:US)?\s?\$|USD)\s*|\s*(?:(?:US)?\s?\$|USD)\s*$/gi
/** In a number with a decimal point, such as `1,234.5`, the commas only separate groups of digits. */
const grouped = /^\d{1,3}(?:,\d{3})+\.\d+$/

/** Returns the amount in units of 1e-12, or undefined if the text is not a decimal number. */
export function moneyUnits(span: SpanView, entry: number, text: string): Units | undefined {
  const digits = text.replace(dollars, '')
  const decimal = parseDecimal(grouped.test(digits) ? digits.replaceAll(',', '') : digits)
  if (decimal === undefined) return undefined
  const units = atScale(decimal, moneyScale)
  return storableMoney(units <= Number.MAX_SAFE_INTEGER && units >= -Number.MAX_SAFE_INTEGER ? Number(units) : units, () =>
    span.lose('cost_clamped', entry),
  )
}

// A token count is a number, or a bigint if it is too large for an exact number.

import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { parseDecimal } from '@svc-server/pricing/money'
import { exactInt, valueKind } from '../span-view/any-value.ts'
import { numberText, wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

const maxUsage = 2n ** 64n - 1n

export function setCount(amounts: Amounts, name: string, units: Units): void {
  const place = amounts.indexOf(name)
  if (place < 0) amounts.add(name, units)
  else amounts.units[place] = units
}

// A count itself has at most 20 digits; the limit also allows white space and leading zeros.
const longestNumber = 64
const digitsOnly = /^\s*\d+\s*$/

/** Accepts text with a number. True becomes 1; false and empty text become 0. Returns undefined if the value is not a finite number. */
export function unitsOfAttribute(span: SpanView, entry: number): Units | undefined {
  const { kinds, numbers, starts, ends } = span.attributes
  const number = numbers[entry]!
  switch (kinds[entry]) {
    case valueKind.int:
      return Number.isSafeInteger(number) ? number : BigInt(exactInt(span.source.bytes, span.attributes.value(entry)))
    case valueKind.double:
      return Number.isFinite(number) ? number : undefined
    case valueKind.bool:
      return number
    case valueKind.text:
      return ends[entry]! - starts[entry]! > longestNumber ? undefined : unitsOfText(wireText(span.source, starts[entry]!, ends[entry]!))
    default:
      return undefined
  }
}

function unitsOfText(text: string): Units | undefined {
  const number = Number(text)
  if (!Number.isFinite(number)) return undefined
  return Number.isSafeInteger(number) || !digitsOnly.test(text) ? number : BigInt(text.trim())
}

/** Returns `base - part`, but at least zero. */
export function without(base: Units, part: Units): Units {
  if (typeof base === 'number' && typeof part === 'number') return Math.max(base - part, 0)
  const rest = wholeOf(base) - wholeOf(part)
  return rest > 0n ? rest : 0n
}

/** Returns the same sum as `plus` in the pricing code. The trace reader must not import that code, because the import would load prices. */
export function withMore(base: Units, part: Units): Units {
  if (typeof base === 'number' && typeof part === 'number' && Number.isSafeInteger(base + part)) return base + part
  return wholeOf(base) + wholeOf(part)
}

const wholeOf = (units: Units): bigint => (typeof units === 'bigint' ? units : BigInt(Math.trunc(units)))

/** Returns undefined if the value is not an integer within the column's range. */
export function countOf(units: Units): Units | undefined {
  if (typeof units === 'number') {
    if (Number.isSafeInteger(units)) return units >= 0 ? units : undefined
    if (!Number.isInteger(units)) return undefined
    units = BigInt(units)
  }
  return units >= 0n && units <= maxUsage ? units : undefined
}

/** Accepts an integer, or a text with an integer. */
export function countOfJson(value: unknown): Units | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value >= 0 ? value : undefined
  const digits = typeof value === 'string' && value.length <= longestNumber ? value : numberText(value)
  const decimal = digits === undefined ? undefined : parseDecimal(digits)
  if (decimal === undefined) return undefined
  const divisor = 10n ** BigInt(decimal.scale)
  if (decimal.units % divisor !== 0n) return undefined
  const units = decimal.units / divisor
  return countOf(units >= 0n && units <= Number.MAX_SAFE_INTEGER ? Number(units) : units)
}

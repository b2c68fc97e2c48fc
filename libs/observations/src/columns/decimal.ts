// Exact integers and decimals out of number texts. No doubles: 0.0105 is 10,500,000,000 units of 1e-12, not one less.

export const maxUsage = 2n ** 64n - 1n

const number = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** units × 10^-scale, digits beyond the scale cut off. Undefined when the text is no number. */
function scaled(text: string, scale: number): { units: bigint; exact: boolean } | undefined {
  const match = number.exec(text.trim())
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  // Positions after the point that are to be kept; far exponents are cut before a number of a million digits is made.
  const shift = Number(exponent) - fraction.length + scale
  if (shift > 60) return /^0+$/.test(digits) ? { units: 0n, exact: true } : undefined
  const kept = shift >= 0 ? digits + '0'.repeat(shift) : digits.slice(0, shift) || '0'
  const cut = shift >= 0 ? '' : digits.slice(shift)
  const units = BigInt(kept)
  return { units: sign === '-' ? -units : units, exact: /^0*$/.test(cut) }
}

/** A count of tokens: a whole number within UInt64. */
export function usageUnits(text: string): bigint | undefined {
  const value = scaled(text, 0)
  return value?.exact && value.units >= 0n && value.units <= maxUsage ? value.units : undefined
}

const scale = 12
const limit = 10n ** 18n
export const maxCost = limit - 1n
const clamped = 999_999_999_999_000_000n

/** An amount of money as Decimal(18, 12); from a million on it is clamped, as the column cannot hold more. */
export function costUnits(text: string): bigint | undefined {
  const value = scaled(text, scale)
  if (value === undefined) return undefined
  if (value.units >= limit) return clamped
  return value.units <= -limit ? -clamped : value.units
}

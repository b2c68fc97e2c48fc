// Computes amounts of money with integers. An integer counts units of 1e-12 USD, as in the cost column.
import type { Units } from './amounts.ts'

export const moneyScale = 12
/** The cost column is a Decimal(18, 12), for amounts below one million US dollars. */
const limit = 10n ** 18n
const clamped = 999_999_999_999_000_000n

export interface Decimal {
  readonly units: bigint
  /** Digits after the decimal point. */
  readonly scale: number
}

const decimalText = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i
const maxDigits = 400

/**
 * Returns the exact value. Returns undefined if the text is invalid or has more than `maxDigits` characters, or if its exponent would
 * append more than `maxDigits` zeros to a number other than 0. No amount in practice has that many digits.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > maxDigits) return undefined
  const match = decimalText.exec(text.trim())
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const digits = BigInt(whole + fraction)
  const units = sign === '-' ? -digits : digits
  const scale = fraction.length - Number(exponent)
  if (digits === 0n) return { units, scale: 0 }
  if (scale >= 0) return { units, scale }
  return scale < -maxDigits ? undefined : { units: units * 10n ** BigInt(-scale), scale: 0 }
}

/** Returns the units of the decimal at the scale `wanted`. Digits after the first `wanted` decimal places are cut off. */
export function atScale({ units, scale }: Decimal, wanted: number): bigint {
  if (scale <= wanted) return units * 10n ** BigInt(wanted - scale)
  const cut = scale - wanted
  return cut > 2 * maxDigits ? 0n : units / 10n ** BigInt(cut)
}

/** A million or more becomes 999999.999999, and `onClamp` is called. */
export function storableMoney(units: Units, onClamp: () => void): Units {
  if (typeof units === 'number' || (units < limit && units > -limit)) return units
  onClamp()
  return units > 0n ? clamped : -clamped
}

export function moneyText(units: Units): string {
  const value = BigInt(units)
  const digits = (value < 0n ? -value : value).toString().padStart(moneyScale + 1, '0')
  const fraction = digits.slice(-moneyScale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -moneyScale)}${fraction === '' ? '' : `.${fraction}`}`
}

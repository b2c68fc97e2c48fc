// Parses JSON whose numbers must keep all digits, for example `12345678901234567890`, which a double would change.
import { isRawJSON, parseStoredJson, type Revive, rawJSON } from './parse-json.ts'

/** True if the value is a number that keeps its digits as they were written. JSON.stringify then writes the same digits. */
export const isExactNumber = (value: unknown): boolean => isRawJSON(value)

/** The error for valid JSON that contains a number with too many digits to be stored. */
export class NumberTooLarge extends SyntaxError {
  override readonly name = 'NumberTooLarge'
}

/** True if the text could contain a number that a double would change. A double keeps up to 15 digits. */
const mayBeInexact = (text: string) => /\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)

interface Decimal {
  readonly digits: string
  /** The exponent of the last digit. */
  readonly exponent: number
}

function decimalOf(source: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source)!
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - digits.length }
}

/**
 * Returns a reviver for a text that can contain numbers that a double would change. With this reviver, JSON.stringify writes these numbers
 * unchanged. Returns undefined if the text certainly contains none. The reviver throws NumberTooLarge for a number that would have more
 * than `maxDigits` digits without an exponent.
 */
export function keepingDigits(text: string, maxDigits = Number.POSITIVE_INFINITY): Revive | undefined {
  if (!mayBeInexact(text)) return undefined
  return (value, source) => {
    if (typeof value !== 'number' || source === undefined) return value
    const written = decimalOf(source)
    if (Number.isFinite(value)) {
      const kept = decimalOf(String(value))
      if (written.digits === kept.digits && written.exponent === kept.exponent) return value
    }
    if (written.digits.length + Math.abs(written.exponent) > maxDigits)
      throw new NumberTooLarge(`A number must have at most ${maxDigits} digits and no exponent.`)
    return rawJSON(source)
  }
}

/** Parses as `parseStoredJson` does, but numbers keep all of their digits. */
export const parseExactJson = (text: string): unknown => parseStoredJson(text, keepingDigits(text))

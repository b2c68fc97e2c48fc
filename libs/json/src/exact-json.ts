// Parses JSON whose numbers keep all digits, such as `12345678901234567890`, which a double would change.
import { isRawJSON, parseStoredJson, type Revive, rawJSON } from './parse-json.ts'

/** True for a number that keeps its original digits, which JSON.stringify then writes. */
export const isExactNumber = (value: unknown): boolean => isRawJSON(value)

/** The error for valid JSON with a number that has too many digits to be stored. */
export class NumberTooLarge extends SyntaxError {
  override readonly name = 'NumberTooLarge'
}

/** True if the text possibly contains a number that a double would change. A double keeps up to 15 digits. */
const mayBeInexact = (text: string) => /\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)

interface Decimal {
  readonly digits: string
  /** The number is `digits` × 10^`exponent`. */
  readonly exponent: number
}

function decimalOf(source: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source)!
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - digits.length }
}

/**
 * Returns a reviver for `parseJson`. JSON.stringify later writes the parsed numbers unchanged, even numbers that a double would change.
 * Returns undefined if a quick check finds no number that a double would change. For a number that a double would change, the reviver
 * counts the digits that the number has when it is written without an exponent. If there are more than `maxDigits`, the reviver throws
 * NumberTooLarge.
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

/** Numbers keep all digits. */
export const parseExactJson = (text: string): unknown => parseStoredJson(text, keepingDigits(text))

// Parses JSON whose numbers must keep all digits, such as `12345678901234567890`, which a double would change.
import { isRawJSON, parseStoredJson, type Revive, rawJSON } from './parse-json.ts'

/** Whether the value is a number that keeps its digits as written. JSON.stringify writes it with the same digits. */
export const isExactNumber = (value: unknown): boolean => isRawJSON(value)

/** Error for valid JSON with a number that has too many digits to store. */
export class NumberTooLarge extends SyntaxError {
  override readonly name = 'NumberTooLarge'
}

/** Whether the text may contain a number that a double would change. A double preserves up to 15 digits. */
const mayBeInexact = (text: string) => /\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)

interface Decimal {
  readonly digits: string
  /** Exponent of the last digit. */
  readonly exponent: number
}

function decimalOf(source: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source)!
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - digits.length }
}

/**
 * Returns a reviver that keeps the numbers of this text that a double would change, so that JSON.stringify writes them unchanged. Returns
 * undefined when the text certainly contains no such number. The reviver throws NumberTooLarge for a number that, written without an
 * exponent, has more than `maxDigits` digits.
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
      throw new NumberTooLarge(`A number has at most ${maxDigits} digits, written without an exponent.`)
    return rawJSON(source)
  }
}

/** Parses like `parseStoredJson`, but keeps all digits of numbers. */
export const parseExactJson = (text: string): unknown => parseStoredJson(text, keepingDigits(text))

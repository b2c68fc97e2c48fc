// Converts decimal text to 64 bits without a double. A double is exact only up to 53 bits, and nanosecond times need 61 bits today.

const mostDigits = 15
/** Powers of ten; all are exact doubles. */
const powersOfTen = Array.from({ length: mostDigits + 1 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * Reads a decimal number of at most `mostDigits` digits. The division below rounds correctly, because both operands are exact doubles.
 * Returns NaN for any other text, which the caller must parse.
 */
export const shortDecimal = (bytes: Uint8Array, start: number, stop: number): number => {
  const isNegative = bytes[start] === 0x2d
  let point = stop
  let value = 0
  let digits = 0
  for (let at = isNegative ? start + 1 : start; at < stop; at++) {
    const digit = bytes[at]! - 0x30
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digits++
    } else if (bytes[at] === 0x2e && point === stop) point = at + 1
    else return Number.NaN
  }
  if (digits === 0 || digits > mostDigits) return Number.NaN
  const magnitude = value / powersOfTen[stop - point]!
  return isNegative ? -magnitude : magnitude
}

export type IntegerForm = 'integer' | 'fraction' | 'overflow' | 'invalid'

/** The number that was read last, as a sign and two 32-bit halves. One instance is reused. */
export class ExactInteger {
  low = 0
  high = 0
  negative = false

  /** Sets a number that is not negative and has at most 31 bits. */
  set(value: number): void {
    this.low = value
    this.high = 0
    this.negative = false
  }

  /**
   * `fraction`: the number is not an integer, and is truncated toward zero. `overflow`: the number needs more than 64 bits. `invalid`: the
   * text is not a number.
   */
  read(bytes: Buffer, start: number, stop: number): IntegerForm {
    let at = start
    this.negative = bytes[at] === 0x2d
    if (this.negative) at++
    const length = stop - at
    if (length === 0 || length > 19) return this.#readAny(bytes, start, stop)
    // The number is read in two parts: at most ten upper digits, and nine lower digits. Both parts are exact doubles.
    const middle = Math.max(at, stop - 9)
    let upper = 0
    let lower = 0
    for (; at < middle; at++) {
      const digit = bytes[at]! - 0x30
      if (digit < 0 || digit > 9) return this.#readAny(bytes, start, stop)
      upper = upper * 10 + digit
    }
    for (; at < stop; at++) {
      const digit = bytes[at]! - 0x30
      if (digit < 0 || digit > 9) return this.#readAny(bytes, start, stop)
      lower = lower * 10 + digit
    }
    // Computes upper * 10^9 + lower in two steps, so that no product exceeds 2^53.
    const upperHigh = Math.floor(upper / 65536)
    const low = (upper - upperHigh * 65536) * 1e9 + lower
    const high = upperHigh * 1e9 + Math.floor(low / 65536)
    this.low = ((high % 65536) * 65536 + (low % 65536)) >>> 0
    this.high = Math.floor(high / 65536)
    return 'integer'
  }

  /** Reads a number with an exponent, a fraction, or at least twenty digits. Such numbers are rare, so they are parsed as text. */
  #readAny(bytes: Buffer, start: number, stop: number): IntegerForm {
    const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(bytes.toString('latin1', start, stop))
    if (!parts) return 'invalid'
    const [, sign, whole = '', fraction = '', exponent = '0'] = parts
    this.negative = sign === '-'
    const digits = (whole + fraction).replace(/^0+/, '')
    // `scale` is the power of ten of the last digit. Clamping extreme exponents does not change the result.
    const scale = Math.max(-1000, Math.min(1000, Number(exponent))) - fraction.length
    if (digits.length + scale > 20) {
      this.low = this.high = 0
      return digits === '' ? 'integer' : 'overflow'
    }
    const kept = scale < 0 ? digits.slice(0, Math.max(0, digits.length + scale)) : digits + '0'.repeat(scale)
    const value = BigInt(kept === '' ? 0 : kept)
    if (value >= 1n << 64n) return 'overflow'
    this.low = Number(value & 0xffffffffn)
    this.high = Number(value >> 32n)
    return scale < 0 && /[1-9]/.test(digits.slice(kept.length)) ? 'fraction' : 'integer'
  }

  /** Changes the number to two's complement. Returns false if the number does not fit into a signed 64-bit integer. */
  toSigned(): boolean {
    if (!this.negative) return this.high < 0x80000000
    if (this.high > 0x80000000 || (this.high === 0x80000000 && this.low !== 0)) return false
    this.low = -this.low >>> 0
    this.high = (~this.high + (this.low === 0 ? 1 : 0)) >>> 0
    return true
  }
}

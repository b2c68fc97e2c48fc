// Writes numbers as decimal text, digit by digit. Creating a string and copying its bytes would take several times as long.

/** Maximum number of characters of a decimal, such as -0.0000012345678901234567. */
export const longestDecimal = 25

/**
 * `writeDecimal` converts a number to a count of units. The unit is one if the number is whole, otherwise a millionth. A count below this
 * bound has at most 15 digits. `String` writes the shortest decimal that denotes the number. A decimal of at most 15 digits without
 * superfluous zeros is always this shortest decimal.
 */
const exactBelow = 1e15
const mostBehindPoint = 6
const scale = 10 ** mostBehindPoint

const [minus, point, zero] = [0x2d, 0x2e, 0x30]

/**
 * Writes the text `String(value)` at the position `at`. The text takes at most `longestDecimal` bytes. Returns the position after the text.
 */
export function writeDecimal(target: Uint8Array, at: number, value: number): number {
  if ((value | 0) === value && value >= 0) return writeCount(target, at, value)
  const size = Math.abs(value)
  const isWhole = Number.isInteger(size)
  let units = isWhole ? size : Math.round(size * scale)
  if (!(units < exactBelow && (isWhole || units / scale === size))) return writeAscii(target, at, String(value))
  let behind = isWhole ? 0 : mostBehindPoint
  for (; behind > 0 && Math.floor(units / 10) * 10 === units; behind--) units /= 10

  if (value < 0) target[at++] = minus
  let digits = 1
  for (let power = 10; power <= units || digits <= behind; power *= 10) digits++
  const end = at + digits + (behind > 0 ? 1 : 0)
  const pointAt = behind > 0 ? end - behind - 1 : -1
  for (let to = end - 1; to >= at; to--) {
    if (to === pointAt) {
      target[to] = point
      continue
    }
    const rest = Math.floor(units / 10)
    target[to] = zero + units - rest * 10
    units = rest
  }
  return end
}

/** Writes a whole number below 2^31, which is the most frequent case. Integer division is faster than the division of doubles. */
function writeCount(target: Uint8Array, at: number, value: number): number {
  let end = at + 1
  for (let rest = (value / 10) | 0; rest > 0; rest = (rest / 10) | 0) end++
  let units = value | 0
  for (let to = end - 1; to >= at; to--) {
    const rest = (units / 10) | 0
    target[to] = zero + units - rest * 10
    units = rest
  }
  return end
}

function writeAscii(target: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) target[at++] = text.charCodeAt(i)
  return at
}

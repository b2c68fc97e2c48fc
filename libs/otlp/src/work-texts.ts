// The work that stands in a text: values, where it may be JSON, and control characters. Long texts are walked
// four bytes at a time; most of a request is text.

export const quote = 0x22
export const bracket = 0x5b
export const brace = 0x7b
const comma = 0x2c
const backslash = 0x5c

/** Control characters become six bytes where a text stands in JSON: so many of them are a unit. */
const controlsOfUnit = 4

/** A string that looks like JSON and is none costs as much as so many values. */
const refusedJson = 2

/** Tab, line feed, carriage return and blank: escaped as two bytes, or not at all. */
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d

/** 1 for control characters. */
const controlTable = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 && !isSpace(byte) ? 1 : 0))

/** So far the end of a string is looked for byte by byte: beyond it a call is cheaper. */
const nearBytes = 24

/** A byte in each of the four places of a word. */
const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)
const highs = everywhere(0x80)
const blanks = everywhere(0x20)

/** What a byte is between the strings of a JSON text. */
const separating = 1
const quoting = 2
const kindTable = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === comma || byte === bracket || byte === brace ? separating : byte === quote ? quoting : 0,
)

/** Of texts in `bytes`, each by its range. Allocates nothing a text. */
export class TextMeter {
  readonly #bytes: Uint8Array
  /** Bytes in front of the first whole word, and the words. */
  readonly #shift: number
  readonly #words: Int32Array

  constructor(bytes: Uint8Array) {
    const shift = -bytes.byteOffset & 3
    this.#bytes = bytes
    this.#shift = shift
    this.#words = new Int32Array(bytes.buffer, bytes.length < shift ? 0 : bytes.byteOffset + shift, Math.max(0, bytes.length - shift) >> 2)
  }

  /** The first byte that is no space; 0 when there is none. */
  firstOf(start: number, end: number): number {
    return firstOf(this.#bytes, start, end)
  }

  /**
   * Values of a JSON text: every one has a comma or an opening bracket before it. Of strings only those count
   * that may be JSON again.
   */
  tokens(start: number, end: number): number {
    const bytes = this.#bytes
    let count = 0
    for (let at = start; at < end; at++) {
      const kind = kindTable[bytes[at]!]!
      if (kind === separating) count++
      else if (kind === quoting) {
        const closing = endOfString(bytes, at + 1, end)
        const first = firstOf(bytes, at + 1, closing)
        if (first === brace || first === bracket || first === backslash) count += refusedJson + this.separators(at + 1, closing)
        at = closing
      }
    }
    return count
  }

  /** Commas and opening brackets, wherever they stand. */
  separators(start: number, end: number): number {
    const bytes = this.#bytes
    let count = 0
    for (let at = start; at < end; at++) count += kindTable[bytes[at]!]! & separating
    return count
  }

  /** Units of its control characters. */
  controls(start: number, end: number): number {
    const bytes = this.#bytes
    const words = this.#words
    const shift = this.#shift
    let count = 0
    let at = start
    for (; at < end && ((at - shift) & 3) !== 0; at++) count += controlTable[bytes[at]!]!
    for (; at + 4 <= end; at += 4) {
      const word = words[(at - shift) >> 2]!
      // Some byte is below a blank.
      if (((word - blanks) & ~word & highs) !== 0)
        count +=
          controlTable[word & 0xff]! + controlTable[(word >>> 8) & 0xff]! + controlTable[(word >>> 16) & 0xff]! + controlTable[word >>> 24]!
    }
    for (; at < end; at++) count += controlTable[bytes[at]!]!
    return Math.floor(count / controlsOfUnit)
  }
}

function firstOf(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(bytes[at]!)) at++
  return at < end ? bytes[at]! : 0
}

/** Position of the quote that closes the string from `from` on, or `end`. */
function endOfString(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  for (;;) {
    const near = Math.min(end, at + nearBytes)
    while (at < near && bytes[at] !== quote) at++
    if (at === near) {
      if (near < end) at = bytes.indexOf(quote, near)
      if (at < 0 || at >= end) return end
    }
    let backslashes = 0
    while (at - backslashes > from && bytes[at - backslashes - 1] === backslash) backslashes++
    if ((backslashes & 1) === 0) return at
    at++
  }
}

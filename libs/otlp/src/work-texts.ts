// Measures the work that a text causes through its JSON values and control characters. Most bytes of a request are text. To save time,
// `separators`, `controls` and the search for quotes read four bytes at a time.

import { viewOf } from './viewed.ts'
import { bytesBefore, everywhere, zeroBytes } from './words.ts'

export const quote = 0x22
export const bracket = 0x5b
export const brace = 0x7b
const comma = 0x2c
const backslash = 0x5c

/** This many control characters cost one unit of work, because each becomes six bytes when the text is written as JSON. */
const controlsOfUnit = 4

/** A string that looks like JSON, but is invalid, counts as this many values. */
const refusedJson = 2

/** True for characters that are cheap to write as JSON: a space stays one byte, and tab, line feed and carriage return become two bytes. */
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d

/** Has 1 for each control character that is expensive to write as JSON, and 0 for every other byte. */
const controlTable = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 && !isSpace(byte) ? 1 : 0))

/** A JavaScript loop searches at most this many bytes: for few bytes, it is cheaper than a native call. A native call searches the rest. */
const nearBytes = 64

const highs = everywhere(0x80)
const blanks = everywhere(0x20)
const quotes = everywhere(quote)
const commas = everywhere(comma)
const braces = everywhere(brace)
const bracketBits = everywhere(bracket ^ brace)

/** Roles that a byte of a JSON text can have outside of strings. */
const separating = 1
const quoting = 2
const kindTable = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === comma || byte === bracket || byte === brace ? separating : byte === quote ? quoting : 0,
)

/** Texts are ranges of `bytes`. Nothing is allocated per text. */
export class TextMeter {
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  /** Returns the first byte that is not white space, or 0. */
  firstOf(start: number, end: number): number {
    return firstOf(this.#bytes, start, end)
  }

  /**
   * Counts the list elements and object members in a JSON text. Each of them follows a comma, `[`, or `{`, so the method counts these
   * characters. Values inside a string count only if the string could itself be JSON.
   */
  tokens(start: number, end: number): number {
    const bytes = this.#bytes
    let count = 0
    for (let at = start; at < end; at++) {
      const kind = kindTable[bytes[at]!]!
      if (kind === separating) count++
      else if (kind === quoting) {
        const closing = this.#endOfString(at + 1, end)
        const first = firstOf(bytes, at + 1, closing)
        if (first === brace || first === bracket || first === backslash) count += refusedJson + this.separators(at + 1, closing)
        at = closing
      }
    }
    return count
  }

  /** Counts commas, `[` and `{`, including those in strings. */
  separators(start: number, end: number): number {
    const bytes = this.#bytes
    const view = this.#view
    let count = 0
    let at = start
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at, true)
      // An opening bracket and brace differ in only one bit, so one comparison finds both.
      if ((zeroBytes(word ^ commas) | zeroBytes((word | bracketBits) ^ braces)) !== 0)
        count +=
          (kindTable[word & 0xff]! & separating) +
          (kindTable[(word >>> 8) & 0xff]! & separating) +
          (kindTable[(word >>> 16) & 0xff]! & separating) +
          (kindTable[word >>> 24]! & separating)
    }
    for (; at < end; at++) count += kindTable[bytes[at]!]! & separating
    return count
  }

  /** Returns units of work. */
  controls(start: number, end: number): number {
    const bytes = this.#bytes
    const view = this.#view
    let count = 0
    let at = start
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at, true)
      // True if at least one of the four bytes in `word` is less than 0x20, the space.
      if (((word - blanks) & ~word & highs) !== 0)
        count +=
          controlTable[word & 0xff]! + controlTable[(word >>> 8) & 0xff]! + controlTable[(word >>> 16) & 0xff]! + controlTable[word >>> 24]!
    }
    for (; at < end; at++) count += controlTable[bytes[at]!]!
    return Math.floor(count / controlsOfUnit)
  }

  /** Returns the position of the quote that closes the string, or `end` if there is no such quote before `end`. */
  #endOfString(from: number, end: number): number {
    const bytes = this.#bytes
    let at = from
    for (;;) {
      at = this.#nextQuote(at, end)
      if (at === end) return end
      let backslashes = 0
      while (at - backslashes > from && bytes[at - backslashes - 1] === backslash) backslashes++
      if ((backslashes & 1) === 0) return at
      at++
    }
  }

  /** Returns the position of the first quote in [from, end), or `end` if there is no quote. */
  #nextQuote(from: number, end: number): number {
    const bytes = this.#bytes
    const view = this.#view
    const near = Math.min(end, from + nearBytes)
    let at = from
    for (; at + 4 <= near; at += 4) {
      const marks = zeroBytes(view.getInt32(at, true) ^ quotes)
      if (marks !== 0) return at + bytesBefore(marks)
    }
    while (at < near && bytes[at] !== quote) at++
    if (at < near || near === end) return at
    const found = bytes.indexOf(quote, near)
    return found < 0 || found > end ? end : found
  }
}

function firstOf(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(bytes[at]!)) at++
  return at < end ? bytes[at]! : 0
}

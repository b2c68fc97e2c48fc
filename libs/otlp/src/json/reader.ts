// Reads JSON from bytes. Finds strings without creating them, and skips unwanted values without recursion.
import { AppError } from '@svc-server/errors'
import { type Viewed, viewOf } from '../viewed.ts'
import { bytesBefore, everywhere, zeroBytes } from '../words.ts'

const quote = 0x22
const backslash = 0x5c
const quotes = everywhere(quote)
const backslashes = everywhere(backslash)
/** Strings up to this length are searched in JavaScript. For longer strings, native search is faster, although a call takes 30 to 50 ns. */
const shortString = 64

export const invalidJson = (what: string, position: number): AppError =>
  new AppError('body_undecodable', `Invalid OTLP/JSON at byte ${position}: ${what}.`, { position })

/** A text that the reader looks for, of at least four bytes. The reader compares four bytes at a time. */
export class Literal {
  readonly length: number
  /**
   * Each number holds four bytes of the text. The last number always holds the last four bytes of the text, so the last number can repeat
   * bytes of the number before it.
   */
  readonly words: Int32Array

  constructor(text: string) {
    const bytes = Buffer.from(text)
    this.length = bytes.length
    this.words = Int32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, i) => bytes.readInt32LE(Math.min(4 * i, bytes.length - 4)))
  }
}

export class JsonReader implements Viewed {
  readonly bytes: Buffer
  readonly view: DataView
  at: number
  readonly end: number
  /** The range of the string or number that was read last. A string's range excludes the quotes. Escapes in the range are not decoded. */
  start = 0
  stop = 0
  escaped = false
  /**
   * The reader has found no backslash between `#searchedFrom` and `#nextBackslash`, and does not search this range again. But to
   * skip a defective span, the transcoder can move `at` back to a position before this range.
   */
  #searchedFrom = 0
  #nextBackslash = -1
  #open = new Uint8Array(64)

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes
    this.view = viewOf(bytes)
    this.at = at
    this.end = bytes.length
  }

  /** Skips white space, and returns the next byte without consuming it. Returns -1 at the end. */
  peek(): number {
    const { bytes, end } = this
    let at = this.at
    while (at < end) {
      const byte = bytes[at]!
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.at = at
        return byte
      }
      at++
    }
    this.at = at
    return -1
  }

  /** Skips white space and consumes the given byte. Throws if a different byte follows. */
  expect(byte: number): void {
    if (this.peek() !== byte) throw this.error(`'${String.fromCharCode(byte)}' expected`)
    this.at++
  }

  /** True if exactly the bytes of the literal come next. White space before or between these bytes is not skipped. */
  matches({ length, words }: Literal): boolean {
    const { view, at } = this
    if (at + length > this.end) return false
    const last = words.length - 1
    for (let i = 0; i < last; i++) if (view.getInt32(at + 4 * i, true) !== words[i]) return false
    return view.getInt32(at + length - 4, true) === words[last]
  }

  /**
   * Reads a string, whose opening quote must be at `at`. The string can contain control characters, because exporters send them and
   * protobuf can represent them.
   */
  string(): void {
    const { bytes, view, end } = this
    let at = this.at + 1
    // Position of the next quote. If this quote is part of an escape, the reader searches for the following quote.
    let nextQuote = -1
    this.start = at
    this.escaped = false
    scan: for (;;) {
      for (const near = Math.min(at + shortString, end - 3); at < near; at += 4) {
        const word = view.getInt32(at, true)
        const marks = zeroBytes(word ^ quotes) | zeroBytes(word ^ backslashes)
        if (marks === 0) continue
        at += bytesBefore(marks)
        if (bytes[at] === quote) break scan
        this.escaped = true
        do at += 2
        while (bytes[at] === backslash)
        continue scan
      }
      if (nextQuote < at) nextQuote = bytes.indexOf(quote, at)
      if (nextQuote < 0) throw this.error('string without an end')
      const escapeAt = this.#backslashBefore(nextQuote, at)
      if (escapeAt === nextQuote) {
        at = nextQuote
        break
      }
      this.escaped = true
      at = escapeAt + 2
    }
    this.stop = at
    this.at = at + 1
  }

  /** Returns the first backslash in [from, stop), or `stop`. */
  #backslashBefore(stop: number, from: number): number {
    // If the transcoder has moved the reader back, this method searches for a backslash only in the range [from, stop). In a body with
    // many defects, the transcoder moves the reader back many times. To search up to the end of the body each time would take too long.
    if (from < this.#searchedFrom) {
      const found = this.bytes.subarray(from, stop).indexOf(backslash)
      return found < 0 ? stop : from + found
    }
    if (this.#nextBackslash < from) {
      const found = this.bytes.indexOf(backslash, from)
      this.#searchedFrom = from
      this.#nextBackslash = found < 0 ? this.end : found
    }
    return Math.min(this.#nextBackslash, stop)
  }

  /** Reads a number, and sets `start` and `stop` to the range of its text. */
  number(): void {
    const { bytes, end } = this
    let at = this.at
    const from = at
    if (bytes[at] === 0x2d) at++
    const whole = at
    at = digits(bytes, at, end)
    if (at === whole || (at > whole + 1 && bytes[whole] === 0x30)) throw this.error('number expected')
    if (at < end && bytes[at] === 0x2e) {
      const fraction = ++at
      at = digits(bytes, at, end)
      if (at === fraction) throw this.error('digits expected after the point')
    }
    if (at < end && (bytes[at]! | 0x20) === 0x65) {
      at++
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
      const exponent = at
      at = digits(bytes, at, end)
      if (at === exponent) throw this.error('digits expected in the exponent')
    }
    this.start = from
    this.stop = this.at = at
    this.escaped = false
  }

  /** Reads numbers of a few digits. For any other value, returns -1 and consumes nothing. */
  smallInteger(): number {
    const { bytes, at: from } = this
    let value = 0
    let at = from
    for (const near = Math.min(from + 9, this.end); at < near; at++) {
      const digit = bytes[at]! - 0x30
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    const next = at < this.end ? bytes[at]! : 0x30
    const isWhole = next !== 0x2e && (next | 0x20) !== 0x65 && (next < 0x30 || next > 0x39)
    if (at === from || !isWhole || (bytes[from] === 0x30 && at > from + 1)) return -1
    this.start = from
    this.stop = this.at = at
    this.escaped = false
    return value
  }

  /** Consumes true, false, or null. */
  literal(): void {
    for (const word of literals) {
      if (!this.matches(word)) continue
      this.start = this.at
      this.stop = this.at += word.length
      this.escaped = false
      return
    }
    throw this.error('value expected')
  }

  /** Checks the syntax of any value without recursion. */
  skip(): void {
    let depth = 0
    for (;;) {
      const byte = this.peek()
      if (byte === quote) this.string()
      else if (byte === 0x7b || byte === 0x5b) {
        if (depth === this.#open.length) this.#open = Buffer.concat([this.#open, this.#open])
        this.at++
        this.#open[depth++] = byte
        const inner = this.peek()
        if (inner === byte + 2) {
          this.at++
          depth--
        } else {
          if (byte === 0x7b) this.key()
          continue
        }
      } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) this.number()
      else this.literal()
      for (;;) {
        if (depth === 0) return
        const opened = this.#open[depth - 1]!
        const next = this.peek()
        if (next === 0x2c) {
          this.at++
          if (opened === 0x7b) this.key()
          break
        }
        if (next !== opened + 2) throw this.error(`',' or '${String.fromCharCode(opened + 2)}' expected`)
        this.at++
        depth--
      }
    }
  }

  /** Reads a key and its colon. Afterwards, `start`, `stop` and `escaped` describe the key. */
  key(): void {
    if (this.peek() !== quote) throw this.error('key expected')
    this.string()
    if (this.peek() !== 0x3a) throw this.error("':' expected")
    this.at++
  }

  error(what: string): AppError {
    return invalidJson(this.at >= this.end ? `${what}, but the body ends` : what, Math.min(this.at, this.end))
  }
}

const literals = ['true', 'false', 'null'].map(word => new Literal(word))

const digits = (bytes: Uint8Array, at: number, end: number): number => {
  while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++
  return at
}

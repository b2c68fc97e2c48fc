// Finds lists in JSON text by their key, without parsing. Text rarely contains a bracket. A search for a bracket therefore usually shows
// that there is no list.
import { type ByteSource, ByteWriter } from '@svc-server/column-store/native'
import { findBytes } from '../../span-view/byte-search.ts'

const bracket = 0x5b
const brace = 0x7b
const closingBrace = 0x7d
const comma = 0x2c
const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Returns the first byte that is not white space, or 0. This byte shows the kind of a JSON value. */
export function firstByte({ bytes }: ByteSource, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(bytes[at])) at++
  return at < end ? bytes[at]! : 0
}

export const isJsonContainer = (byte: number): boolean => byte === brace || byte === bracket

/** Returns the position of the first list's opening bracket, or -1. The list can be within JSON text in a string. */
export const findList = (source: ByteSource, start: number, end: number, keys: readonly string[]): number =>
  findUnder(nextBracket, source, start, end, keys)

/** Like `findList`, for an object. */
export const findObject = (source: ByteSource, start: number, end: number, keys: readonly string[]): number =>
  findUnder(nextBrace, source, start, end, keys)

/**
 * Finds the next position of a byte, and remembers the searched range before this position. The range does not contain the byte. Most
 * texts contain no bracket, so a single search often covers many texts of a request.
 */
class NextByte {
  readonly byte: number
  #bytes: Uint8Array | undefined
  /** The last search began at `#from` and ended at `#at`. `byte` does not occur from `#from` up to, but not including, `#at`. */
  #from = 0
  #at = 0

  constructor(byte: number) {
    this.byte = byte
  }

  /** Returns the first position of the byte at or after `from`, or `bytes.length` if there is none. */
  after(bytes: Uint8Array, from: number): number {
    if (bytes === this.#bytes && from >= this.#from && from <= this.#at) return this.#at
    const found = findBytes.call(bytes, this.byte, from)
    this.#bytes = bytes
    this.#from = from
    this.#at = found < 0 ? bytes.length : found
    return this.#at
  }
}

const nextBracket = new NextByte(bracket)
const nextBrace = new NextByte(brace)
const nextQuote = new NextByte(quote)

/** A search in a `ByteWriter` gets a new `NextByte` without an earlier result, because the writer's contents change with every span. */
const searchOf = (shared: NextByte, source: ByteSource): NextByte => (source instanceof ByteWriter ? new NextByte(shared.byte) : shared)

function findUnder(shared: NextByte, source: ByteSource, start: number, end: number, keys: readonly string[]): number {
  const { bytes } = source
  const next = searchOf(shared, source)
  for (let at = next.after(bytes, start); at < end; at = next.after(bytes, at + 1)) {
    if (isUnder(bytes, start, at, keys, shared === nextBracket)) return at
  }
  return -1
}

/** True if the bracket at this position opens a list that is the value of one of the keys. */
export const isListUnder = (source: ByteSource, start: number, at: number, keys: readonly string[]): boolean =>
  isUnder(source.bytes, start, at, keys, true)

/**
 * True if one of the keys (`"key": `) is directly before the position. With `inText`, a quote is allowed between the key and the position,
 * because a string that contains JSON begins with a quote.
 */
function isUnder(bytes: Uint8Array, start: number, at: number, keys: readonly string[], inText: boolean): boolean {
  let i = at - 1
  if (inText && bytes[i] === quote) i--
  while (isSpace(bytes[i])) i--
  if (bytes[i] !== colon) return false
  i--
  while (isSpace(bytes[i])) i--
  if (bytes[i] !== quote) return false
  for (let k = 0; k < keys.length; k++) if (endsWithKey(bytes, start, i, keys[k]!)) return true
  return false
}

/** True if the quote at `end` ends the key, and the opening quote of the key has no backslash before it. */
function endsWithKey(bytes: Uint8Array, from: number, end: number, key: string): boolean {
  const start = end - key.length
  if (start - 2 < from || bytes[start - 1] !== quote || bytes[start - 2] === backslash) return false
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key.charCodeAt(i)) return false
  return true
}

/** True for an object whose first key is the given key. */
export const startsWithKey = ({ bytes }: ByteSource, start: number, end: number, key: string): boolean =>
  behindKey(bytes, start, end, brace, key) >= 0

/**
 * Recognizes `{"role":"…","content":"…"}`, a message that has only a text. The search for the end of a text examines at most `mostQuotes`
 * quotes, so the result is false for a text with many escaped quotes.
 */
export function isTextMessage(source: ByteSource, start: number, end: number): boolean {
  const { bytes } = source
  const role = behindText(source, behindKey(bytes, start, end, brace, 'role'), end)
  const content = behindText(source, behindKey(bytes, role, end, comma, 'content'), end)
  return behindByte(bytes, content, end, closingBrace) === end
}

// The following functions return the end of the expected token. The functions return -1 if the next token is not the expected token, or if
// `from` is -1.

/** Skips white space, and then expects `byte`. */
function behindByte(bytes: Uint8Array, from: number, end: number, byte: number): number {
  if (from < 0) return -1
  let at = from
  while (at < end && isSpace(bytes[at])) at++
  return at < end && bytes[at] === byte ? at + 1 : -1
}

/** Expects the byte `before` (a brace or a comma), and then the key in quotes. */
function behindKey(bytes: Uint8Array, from: number, end: number, before: number, key: string): number {
  const at = behindByte(bytes, behindByte(bytes, from, end, before), end, quote)
  const keyEnd = at + key.length
  if (at < 0 || keyEnd >= end || bytes[keyEnd] !== quote) return -1
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key.charCodeAt(i)) return -1
  return keyEnd + 1
}

/** Maximum number of quotes to examine in a text. Prose has few quotes, so a text with more quotes is probably JSON within JSON. */
const mostQuotes = 8

/** Returns the position after a colon and a text, or -1 if something else follows. */
function behindText(source: ByteSource, from: number, end: number): number {
  const { bytes } = source
  const start = behindByte(bytes, behindByte(bytes, from, end, colon), end, quote)
  if (start < 0) return -1
  const next = searchOf(nextQuote, source)
  let at = next.after(bytes, start)
  for (let seen = 0; at < end && seen < mostQuotes; seen++) {
    let unescaped = at
    while (bytes[unescaped - 1] === backslash) unescaped--
    if ((at - unescaped) % 2 === 0) return at + 1
    at = next.after(bytes, at + 1)
  }
  return -1
}

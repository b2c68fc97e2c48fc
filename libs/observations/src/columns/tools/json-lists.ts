// Finds lists in JSON text by their key without parsing it. Nearly every input and output has neither tools
// nor calls, and this says so at the speed of a search for one byte: a list starts with a bracket, and text
// has few.
import { type ByteSource, ByteWriter } from '@svc-server/column-store/native'

const bracket = 0x5b
const brace = 0x7b
const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** A Buffer's search is native; a plain array's is not. */
const find = Buffer.prototype.indexOf as unknown as (this: Uint8Array, what: number | string, from: number) => number

const range = (source: ByteSource, start: number, end: number) =>
  new Uint8Array(source.bytes.buffer, source.bytes.byteOffset + start, end - start)

/** The first byte that is no space: what kind of JSON the text would be. */
export function firstByte({ bytes }: ByteSource, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(bytes[at])) at++
  return at < end ? bytes[at]! : 0
}

export const isJsonContainer = (byte: number): boolean => byte === brace || byte === bracket

/**
 * Position of the bracket of the first list, also one inside a JSON text, that stands under one of the keys;
 * -1: there is none.
 */
export const findList = (source: ByteSource, start: number, end: number, keys: readonly string[]): number =>
  findUnder(nextBracket, source, start, end, keys)

/** The same for an object. */
export const findObject = (source: ByteSource, start: number, end: number, keys: readonly string[]): number =>
  findUnder(nextBrace, source, start, end, keys)

/**
 * Where a byte comes next. Spans are read in order and most texts have no bracket: what a search for one text
 * ran over is not searched again for the next, so all of a request is searched about once.
 */
class NextByte {
  readonly byte: number
  #bytes: Uint8Array | undefined
  /** The byte is not in [from, at). */
  #from = 0
  #at = 0

  constructor(byte: number) {
    this.byte = byte
  }

  /** Its position at or behind `from`; infinity when there is none. */
  after(bytes: Uint8Array, from: number): number {
    if (bytes === this.#bytes && from >= this.#from && from <= this.#at) return this.#at
    const found = find.call(bytes, this.byte, from)
    this.#bytes = bytes
    this.#from = from
    this.#at = found < 0 ? Number.POSITIVE_INFINITY : found
    return this.#at
  }
}

const nextBracket = new NextByte(bracket)
const nextBrace = new NextByte(brace)

function findUnder(shared: NextByte, source: ByteSource, start: number, end: number, keys: readonly string[]): number {
  const { bytes } = source
  // A writer's bytes are written anew for every span.
  const next = source instanceof ByteWriter ? new NextByte(shared.byte) : shared
  for (let at = next.after(bytes, start); at < end; at = next.after(bytes, at + 1)) {
    if (isUnder(bytes, start, at, keys, shared === nextBracket)) return at
  }
  return -1
}

/** True when the bracket at this position opens a list under one of the keys. */
export const isListUnder = (source: ByteSource, start: number, at: number, keys: readonly string[]): boolean =>
  isUnder(source.bytes, start, at, keys, true)

/** Walks back over `"key": `; `inText`: also over the quote of a text that is the value. */
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

/** `"key` ends before `end`, and its quote is none of a text inside a text. */
function endsWithKey(bytes: Uint8Array, from: number, end: number, key: string): boolean {
  const start = end - key.length
  if (start - 2 < from || bytes[start - 1] !== quote || bytes[start - 2] === backslash) return false
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key.charCodeAt(i)) return false
  return true
}

/** True when one of the words, each of ASCII, is anywhere in the text. */
export function contains(source: ByteSource, start: number, end: number, words: readonly string[]): boolean {
  const bytes = range(source, start, end)
  for (let i = 0; i < words.length; i++) if (find.call(bytes, words[i]!, 0) >= 0) return true
  return false
}

/** True when the text starts with an object whose first key is this. */
export function startsWithKey({ bytes }: ByteSource, start: number, end: number, key: string): boolean {
  let at = start
  const skip = () => {
    while (at < end && isSpace(bytes[at])) at++
  }
  skip()
  if (bytes[at++] !== brace) return false
  skip()
  if (bytes[at++] !== quote || at + key.length >= end) return false
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key.charCodeAt(i)) return false
  return bytes[at + key.length] === quote
}

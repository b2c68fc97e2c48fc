// Finds lists in JSON text by their key without parsing it. Nearly every input and output has neither tools nor calls, and this says so
// at the speed of a search for one byte: a list starts with a bracket, and text has few.
import type { ByteSource } from '@svc-server/column-store/native'

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

/** Position of the bracket of the first list, also one inside a JSON text, that stands under one of the keys; -1: there is none. */
export const findList = (source: ByteSource, start: number, end: number, keys: readonly string[]): number =>
  findUnder(bracket, source, start, end, keys)

/** The same for an object. */
export const findObject = (source: ByteSource, start: number, end: number, keys: readonly string[]): number =>
  findUnder(brace, source, start, end, keys)

function findUnder(opening: number, source: ByteSource, start: number, end: number, keys: readonly string[]): number {
  const bytes = range(source, start, end)
  for (let at = find.call(bytes, opening, 0); at >= 0; at = find.call(bytes, opening, at + 1)) {
    if (isUnder(bytes, at, keys, opening === bracket)) return start + at
  }
  return -1
}

/** True when the bracket at this position opens a list under one of the keys. */
export const isListUnder = (source: ByteSource, start: number, at: number, keys: readonly string[]): boolean =>
  isUnder(range(source, start, at), at - start, keys, true)

/** Walks back over `"key": `; `inText`: also over the quote of a text that is the value. */
function isUnder(bytes: Uint8Array, at: number, keys: readonly string[], inText: boolean): boolean {
  let i = at - 1
  if (inText && bytes[i] === quote) i--
  while (isSpace(bytes[i])) i--
  if (bytes[i] !== colon) return false
  i--
  while (isSpace(bytes[i])) i--
  if (bytes[i] !== quote) return false
  for (let k = 0; k < keys.length; k++) if (endsWithKey(bytes, i, keys[k]!)) return true
  return false
}

/** `"key` ends before `end`, and its quote is none of a text inside a text. */
function endsWithKey(bytes: Uint8Array, end: number, key: string): boolean {
  const start = end - key.length
  if (start < 1 || bytes[start - 1] !== quote || bytes[start - 2] === backslash) return false
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

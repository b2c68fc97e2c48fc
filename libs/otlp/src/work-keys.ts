// Determines from an attribute's key what work the mapping of the attribute's value can need, such as splitting a text at commas. The
// functions read the bytes of the key and create no string, because they run for every attribute of every request.

import { viewOf } from './viewed.ts'

const ascii = (word: string): Uint8Array => Uint8Array.from(word, letter => letter.charCodeAt(0))

/**
 * The key of every metadata attribute contains this word. The key can start with a brand alias. The code that maps spans to rows
 * (libs/observations) knows the aliases, but this library does not.
 */
const metadata = ascii('metadata')
const details = ascii('_details')
/** Texts under these keys are split at commas, even if they are JSON. */
const tags = ascii('tags')

/** If an attribute contains the name of a model, its key contains `model`. The only exception is the key `genkit:name`. */
const model = ascii('model')
const modelOfGenkit = ascii('genkit:name')
/**
 * If a key contains one of these parts, the value of the key reports a model's usage. Usage can also be JSON text in one attribute, whose
 * key is any brand, followed by `usageDetails`.
 */
const usagePrefixes = ['gen_ai.usage.', 'llm.token_count.'].map(ascii)
const usageDetails = ascii('.observation.usage_details')
const cost = ascii('gen_ai.usage.cost')

const placedPrefixes = [
  'gen_ai.prompt.',
  'gen_ai.completion.',
  'gen_ai.usage.',
  'llm.input_messages.',
  'llm.output_messages.',
  'llm.token_count.',
  'llm.tools.',
].map(ascii)

/** Only these leading bytes of a key determine its meaning. */
const meaningBytes = 256

const dot = 0x2e
const zero = 0x30
const nine = 0x39
const underscore = 0x5f
const letterM = 0x6d
const letterT = 0x74
/** The prefixes in `usagePrefixes` and `placedPrefixes`, and the key `genkit:name`, all begin with one of these letters. */
const letterG = 0x67
const letterL = 0x6c

/** Each member of the value gets a name of its own in the row: in the metadata, the usage details or the cost details. */
export const naming = 1
/** The value's text is split at commas. */
export const listing = 2
/**
 * The key contains a path, such as `0.content` in `gen_ai.prompt.0.content`. The path is the position of the value in a list of messages or
 * in another structure.
 */
export const placed = 4
/** The value can be the name of a model. If the span reports no token counts, this name selects the tokenizer. */
export const modeling = 8
/** The value can contain a token count. */
export const counting = 16
/** Position of the lowest of the nine bits that contain the number of dots in the key. */
const dotsShift = 5
export const dotsIn = (meaning: number): number => (meaning >>> dotsShift) & 0x1ff
/** The bits from this position on contain the largest index in the key's path, but at most `largestIndex`, the maximum list length. */
const indexShift = 14
export const indexIn = (meaning: number): number => meaning >>> indexShift
const largestIndex = 10_001

/**
 * Number of slots in the cache of keys. A hash of a key selects the slot for the key. A new key replaces the cached key in this slot. Few
 * keys are replaced, because exporters send the same few dozen keys with every span.
 */
const slots = 1024
const slotBytes = 64
const knownKeys = new Uint8Array(slots * slotBytes)
const knownView = viewOf(knownKeys)
const knownLengths = new Uint8Array(slots)
const knownMeanings = new Int32Array(slots)

/** Returns the meaning of a key: a number whose bits describe the key, so that no object is allocated. `view` is a DataView of `bytes`. */
export function meaningOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  const length = end - start
  if (length === 0 || length > slotBytes) return readMeaning(bytes, start, end)
  const slot = (length * 7 + bytes[start + (length >> 1)]! * 31 + bytes[end - 1]! * 131 + bytes[start]!) & (slots - 1)
  const known = slot * slotBytes
  if (knownLengths[slot] === length && isKnownAt(known, bytes, view, start, length)) return knownMeanings[slot]!
  for (let i = 0; i < length; i++) knownKeys[known + i] = bytes[start + i]!
  knownLengths[slot] = length
  return (knownMeanings[slot] = readMeaning(bytes, start, end))
}

/**
 * Compares a key with the cached key of the same slot, four bytes at a time. Keys differ mostly at their ends, so the comparison begins
 * there.
 */
function isKnownAt(known: number, bytes: Uint8Array, view: DataView, start: number, length: number): boolean {
  let left = length
  for (; left >= 4; left -= 4) if (knownView.getInt32(known + left - 4, true) !== view.getInt32(start + left - 4, true)) return false
  while (--left >= 0) if (knownKeys[known + left] !== bytes[start + left]) return false
  return true
}

/** For each byte: 1 if the byte is a dot or can begin a relevant word, and otherwise 0. */
const looked = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === dot || byte === letterM || byte === underscore || byte === letterT ? 1 : 0,
)

function readMeaning(bytes: Uint8Array, start: number, end: number): number {
  const stop = Math.min(end, start + meaningBytes)
  let meaning = 0
  let dots = 0
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]!
    if (looked[byte] === 0) continue
    if (byte === dot) dots++
    else if (byte === letterM) meaning |= standsAt(bytes, at, stop, metadata) ? naming : standsAt(bytes, at, stop, model) ? modeling : 0
    else if (byte === underscore) meaning |= standsAt(bytes, at, stop, details) ? naming : 0
    else meaning |= standsAt(bytes, at, stop, tags) ? listing : 0
  }
  if (end - start >= usageDetails.length && standsAt(bytes, end - usageDetails.length, end, usageDetails)) meaning |= counting
  const first = bytes[start]
  return (first === letterG || first === letterL ? meaningOfBeginning(bytes, start, end, stop) : 0) | meaning | (dots << dotsShift)
}

function meaningOfBeginning(bytes: Uint8Array, start: number, end: number, stop: number): number {
  let meaning = beginsWith(bytes, start, stop, placedPrefixes) ? placed | (readIndex(bytes, start, stop) << indexShift) : 0
  if (beginsWith(bytes, start, stop, usagePrefixes) && !is(bytes, start, end, cost)) meaning |= counting
  return is(bytes, start, end, modelOfGenkit) ? meaning | modeling : meaning
}

function readIndex(bytes: Uint8Array, start: number, stop: number): number {
  let largest = 0
  let number = 0
  let isNumber = false
  for (let at = start; at <= stop; at++) {
    const byte = at < stop ? bytes[at]! : dot
    if (byte === dot) {
      if (isNumber && number > largest) largest = number
      number = 0
      isNumber = true
    } else if (byte < zero || byte > nine) isNumber = false
    else number = Math.min(largestIndex, 10 * number + byte - zero)
  }
  return largest
}

function beginsWith(bytes: Uint8Array, start: number, stop: number, prefixes: readonly Uint8Array[]): boolean {
  for (const prefix of prefixes) if (standsAt(bytes, start, stop, prefix)) return true
  return false
}

const is = (bytes: Uint8Array, start: number, end: number, key: Uint8Array): boolean =>
  end - start === key.length && standsAt(bytes, start, end, key)

function standsAt(bytes: Uint8Array, at: number, stop: number, word: Uint8Array): boolean {
  if (at + word.length > stop) return false
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false
  return true
}

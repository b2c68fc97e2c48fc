// Converts the text of a JSON string to UTF-8.

import type { Viewed } from '../viewed.ts'
import { bytesBefore, everywhere, zeroBytes } from '../words.ts'
import { invalidJson } from './reader.ts'

const plain = new Uint8Array(256)
for (const [letter, character] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map(pair => [
  pair.charCodeAt(0),
  pair.charCodeAt(1),
]))
  plain[letter!] = character!

const hexDigits = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  hexDigits[digit.toString(16).charCodeAt(0)] = digit
  hexDigits[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

/** Returns -1 if the byte is no hex digit. */
export const hexDigit = (byte: number): number => hexDigits[byte]!

const replacement = 0xfffd
const backslash = 0x5c
const backslashes = everywhere(backslash)
/** Maximum length of text that is copied in units of four bytes. Native code copies longer text. */
const shortRun = 64

/**
 * Unescapes the text `source[start, stop)`, writes it to `to`, and returns the end position. The unescaped text is never longer than the
 * escaped text, but up to four bytes of `to` after the returned position can be overwritten. An unpaired surrogate becomes U+FFFD.
 */
export const unescapeInto = ({ bytes: source, view }: Viewed, start: number, stop: number, to: Viewed, at: number): number => {
  const target = to.bytes
  const targetView = to.view
  const lastWord = source.length - 4
  let from = start
  while (from < stop) {
    if (source[from] !== backslash) {
      const near = Math.min(from + shortRun, stop)
      let run = 4
      while (run === 4 && from < near && from <= lastWord) {
        const word = view.getInt32(from, true)
        targetView.setInt32(at, word, true)
        run = bytesBefore(zeroBytes(word ^ backslashes))
        from += run
        at += run
      }
      if (from >= stop) return at - (from - stop)
      if (run < 4) continue
      const found = source.indexOf(backslash, from)
      const until = found < 0 || found > stop ? stop : found
      source.copy(target, at, from, until)
      at += until - from
      from = until
      continue
    }
    const letter = from + 1 < stop ? source[from + 1]! : 0
    const character = plain[letter]!
    if (character !== 0) {
      target[at++] = character
      from += 2
      continue
    }
    let code = letter === 0x75 ? unit(source, from + 2, stop) : -1
    if (code < 0) throw invalidJson('escape is not one of JSON', from)
    from += 6
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code <= 0xdbff && source[from] === 0x5c && source[from + 1] === 0x75 ? unit(source, from + 2, stop) : -1
      if (low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
        from += 6
      } else code = replacement
    }
    at = writeUtf8(target, at, code)
  }
  return at
}

const unit = (source: Uint8Array, at: number, stop: number): number => {
  if (at + 4 > stop) return -1
  // The result is negative if a digit is invalid.
  return (
    (hexDigits[source[at]!]! << 12) | (hexDigits[source[at + 1]!]! << 8) | (hexDigits[source[at + 2]!]! << 4) | hexDigits[source[at + 3]!]!
  )
}

const writeUtf8 = (target: Uint8Array, at: number, code: number): number => {
  if (code < 0x80) {
    target[at++] = code
    return at
  }
  if (code < 0x800) target[at++] = 0xc0 | (code >> 6)
  else {
    if (code < 0x10000) target[at++] = 0xe0 | (code >> 12)
    else {
      target[at++] = 0xf0 | (code >> 18)
      target[at++] = 0x80 | ((code >> 12) & 0x3f)
    }
    target[at++] = 0x80 | ((code >> 6) & 0x3f)
  }
  target[at++] = 0x80 | (code & 0x3f)
  return at
}

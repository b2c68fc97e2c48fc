// How deep JSON nests: what nests without end would overflow the stack of whoever walks it later, here or behind the log.

/**
 * Of texts that the mapping reads as JSON, and counts as such; deeper ones are texts. What is written again, or read with a function for its values, nests as
 * deep as the stack that is left, which is more in code that has run hot: this is far below what any stack holds.
 */
export const maxTextLevels = 1000

const quote = 0x22
const backslash = 0x5c
const openers = (byte: number) => byte === 0x7b || byte === 0x5b
const closers = (byte: number) => byte === 0x7d || byte === 0x5d

/** True as soon as the text nests deeper than `limit`. Says nothing about whether it is JSON. */
export function isDeeperThan(bytes: Uint8Array, limit: number): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!
    if (byte === quote) {
      at = endOfString(text, at)
      if (at < 0) return false
    } else if (openers(byte)) {
      if (++depth > limit) return true
    } else if (closers(byte)) depth--
  }
  return false
}

/** Of the closing quote; -1 where there is none. */
function endOfString(text: Buffer, open: number): number {
  for (let at = text.indexOf(quote, open + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}

/** The same of a text, which is made bytes of only where it has so many brackets. */
export const isTextDeeperThan = (text: string, limit: number): boolean =>
  text.length > limit && hasMoreOpeners(text, limit) && isDeeperThan(Buffer.from(text), limit)

/** Those in strings included. Most texts have few, and a search for each costs less than a look at every character. */
function hasMoreOpeners(text: string, count: number): boolean {
  let found = 0
  for (const opener of ['[', '{']) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) if (++found > count) return true
  }
  return false
}

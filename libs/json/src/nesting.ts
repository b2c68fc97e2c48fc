// Measures how deep JSON nests: unbounded nesting would overflow the stack of code that walks it later, here or in consumers of
// the log.

/**
 * Limit for texts that the mapping treats as JSON; deeper texts stay plain text. Serializing, or parsing with a reviver, nests
 * as deep as the remaining stack allows, which varies with optimization: this limit is far below any stack.
 */
export const maxTextLevels = 1000

const quote = 0x22
const backslash = 0x5c
const openers = (byte: number) => byte === 0x7b || byte === 0x5b
const closers = (byte: number) => byte === 0x7d || byte === 0x5d

/** True as soon as the text nests deeper than `limit`. Does not check whether the text is JSON. */
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

/** Position of the closing quote; -1 when missing. */
function endOfString(text: Buffer, open: number): number {
  for (let at = text.indexOf(quote, open + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}

/** Like `isDeeperThan` for a string, which is converted to bytes only when it has enough brackets. */
export const isTextDeeperThan = (text: string, limit: number): boolean =>
  text.length > limit && hasMoreOpeners(text, limit) && isDeeperThan(Buffer.from(text), limit)

/**
 * Counts brackets within strings too. Most texts have few brackets, and searching for each costs less than examining every
 * character.
 */
function hasMoreOpeners(text: string, count: number): boolean {
  let found = 0
  for (const opener of ['[', '{']) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) if (++found > count) return true
  }
  return false
}

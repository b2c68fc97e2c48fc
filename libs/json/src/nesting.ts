// Measures the nesting depth of JSON. Without a limit, nested values would overflow the stack of later code, in this process or in
// consumers of the log.

/**
 * Up to this depth, the mapping treats a text as JSON. A text with more nested levels is treated as plain text. The depth that V8 can
 * serialize, or parse with a reviver, depends on the free stack, and is always far above this limit.
 */
export const maxTextLevels = 1000

const quote = 0x22
const backslash = 0x5c
const openers = (byte: number) => byte === 0x7b || byte === 0x5b
const closers = (byte: number) => byte === 0x7d || byte === 0x5d

/** True if the text has more than `limit` nested levels. The text need not be valid JSON. */
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

/** Returns the position of the quote that ends the string, or -1 if it is missing. */
function endOfString(text: Buffer, open: number): number {
  for (let at = text.indexOf(quote, open + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}

/** Like `isDeeperThan`, for a string. The string is converted to bytes only if it has enough brackets. */
export const isTextDeeperThan = (text: string, limit: number): boolean =>
  text.length > limit && hasMoreOpeners(text, limit) && isDeeperThan(Buffer.from(text), limit)

/**
 * True if the text has more than `count` opening brackets, including brackets in strings. Most texts have few brackets, and searching for
 * brackets is cheaper than examining every character.
 */
function hasMoreOpeners(text: string, count: number): boolean {
  let found = 0
  for (const opener of ['[', '{']) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) if (++found > count) return true
  }
  return false
}

// Measures the nesting depth of JSON. Deep values would overflow the stack of later code, here or in consumers of the log.

/**
 * JSON text with more levels than this is treated as plain text. V8's own limit for serializing, and for parsing with a reviver, is much
 * higher. V8's limit is not fixed, because it depends on the free space of the stack.
 */
export const maxTextLevels = 1000

const quote = 0x22
const backslash = 0x5c
const openers = (byte: number) => byte === 0x7b || byte === 0x5b
const closers = (byte: number) => byte === 0x7d || byte === 0x5d

/** The text need not be valid JSON. */
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

/** Returns the position of the closing quote, or -1. */
function endOfString(text: Buffer, open: number): number {
  for (let at = text.indexOf(quote, open + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}

/** Converts only texts with many brackets to bytes, because a text with few brackets cannot be deep. */
export const isTextDeeperThan = (text: string, limit: number): boolean =>
  text.length > limit && hasMoreOpeners(text, limit) && isDeeperThan(Buffer.from(text), limit)

/**
 * Returns true if the text has more than `count` opening brackets, including those in strings. Most texts have few brackets, so this search
 * is cheaper than examining every character.
 */
function hasMoreOpeners(text: string, count: number): boolean {
  let found = 0
  for (const opener of ['[', '{']) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) if (++found > count) return true
  }
  return false
}

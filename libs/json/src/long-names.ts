// Detects member names that V8 does not hash. If a string has more than 16,383 characters, V8 uses the length of the string in place of a
// hash. V8 then compares such a name with all other names of this length, even those of earlier texts. A body with 60 MB of such names (60
// KB compressed) keeps a thread busy for half a minute (F50).

export const maxNameLength = 16_383

const backslash = 0x5c
const colon = 0x3a

/**
 * Finds names at any depth. The text need not be valid JSON. The search examines every 16,383rd character, and finds the quotes before and
 * after this character. A name above the limit contains at least one of the examined characters.
 */
export function hasLongName(text: string): boolean {
  for (let at = maxNameLength; at < text.length; ) {
    const opening = quoteUntil(text, at)
    const closing = quoteFrom(text, at + 1)
    if (closing < 0) return false
    // The quotes can be the end of one string and the beginning of the next, so a full check follows.
    if (opening >= 0 && closing - opening - 1 > maxNameLength && isName(text, closing)) return isLongAmongAll(text)
    at = Math.max(at, closing) + maxNameLength
  }
  return false
}

function isLongAmongAll(text: string): boolean {
  for (let opening = text.indexOf('"'); opening >= 0; ) {
    const closing = quoteFrom(text, opening + 1)
    if (closing < 0) return false
    if (closing - opening - 1 > maxNameLength && isName(text, closing) && lengthOf(text, opening, closing) > maxNameLength) return true
    opening = text.indexOf('"', closing + 1)
  }
  return false
}

/**
 * True if an odd number of backslashes stands directly before the quote. JSON has backslashes only within strings, so the opening quote of
 * a string is never escaped.
 */
function isEscaped(text: string, quote: number): boolean {
  let first = quote
  while (text.charCodeAt(first - 1) === backslash) first--
  return (quote - first) % 2 === 1
}

function quoteUntil(text: string, at: number): number {
  let quote = text.lastIndexOf('"', at)
  while (quote > 0 && isEscaped(text, quote)) quote = text.lastIndexOf('"', quote - 1)
  return quote
}

function quoteFrom(text: string, at: number): number {
  let quote = text.indexOf('"', at)
  while (quote > 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote
}

function isName(text: string, closing: number): boolean {
  let at = closing + 1
  while (text.charCodeAt(at) <= 0x20) at++
  return text.charCodeAt(at) === colon
}

/** Returns the length of the decoded string: an escape counts as one character. */
function lengthOf(text: string, opening: number, closing: number): number {
  let length = 0
  for (let at = opening + 1; at < closing; length++) at += text.charCodeAt(at) !== backslash ? 1 : text.charAt(at + 1) === 'u' ? 6 : 2
  return length
}

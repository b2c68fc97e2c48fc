// Splits text into search tokens. A token is a sequence of ASCII letters, ASCII digits, and non-ASCII characters.

const token = /[0-9A-Za-z\u0080-\u{10ffff}]+/gu

/** Returns the distinct tokens of a text, in order. With `backwards`, the list starts with the last token. */
export function tokensOf(text: string, direction: 'forwards' | 'backwards' = 'forwards'): readonly string[] {
  const found = text.match(token) ?? []
  return [...new Set(direction === 'forwards' ? found : found.toReversed())]
}

/** Converts only ASCII letters to lower case, as the column store does. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())

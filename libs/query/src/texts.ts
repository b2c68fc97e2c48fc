// A search token is a sequence of ASCII letters, ASCII digits, and non-ASCII characters.

const token = /[0-9A-Za-z\u0080-\u{10ffff}]+/gu

/** Returns distinct tokens in order. With `backwards`, the last token comes first. */
export function tokensOf(text: string, direction: 'forwards' | 'backwards' = 'forwards'): readonly string[] {
  const found = text.match(token) ?? []
  return [...new Set(direction === 'forwards' ? found : found.toReversed())]
}

/** Converts only ASCII letters to lower case, like `lower` of the column store. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())

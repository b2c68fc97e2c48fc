// Words of a text as searches compare them: runs of ASCII letters and digits, and of all characters beyond ASCII.

const token = /[0-9A-Za-z\u0080-\u{10ffff}]+/gu

/** Each once, in order; backwards from the last one. */
export function tokensOf(text: string, direction: 'forwards' | 'backwards' = 'forwards'): readonly string[] {
  const found = text.match(token) ?? []
  return [...new Set(direction === 'forwards' ? found : found.toReversed())]
}

/** ASCII letters alone, as the column store lowers them. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())

// Versions of prompts.

const maxVersion = 65_535

/** Returns the integer at the beginning of the text, if the column can store it. */
export function promptVersionOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10)
  return number >= 0 && number <= maxVersion ? number : undefined
}

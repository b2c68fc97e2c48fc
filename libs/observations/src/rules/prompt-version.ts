// Versions of prompts.

const maxVersion = 65_535

/** The leading integer of the text, if it fits the column. */
export function promptVersionOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10)
  return number >= 0 && number <= maxVersion ? number : undefined
}

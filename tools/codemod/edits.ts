// Applies all edits in one pass, so that each position refers to the original text.

export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

export function edited(text: string, edits: readonly Edit[]): string {
  let result = text
  for (const { from, to, text: replacement } of edits.toSorted((a, b) => b.from - a.from || b.to - a.to))
    result = result.slice(0, from) + replacement + result.slice(to)
  return result
}

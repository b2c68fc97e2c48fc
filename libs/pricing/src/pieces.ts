// Byte pair encoding takes quadratic time over a run that the tokenizer's own pattern does not split (a
// quarter of a million letters: minutes). Runs of this length do not occur in prose; they are cut, which adds
// at most one token per cut.

export const maxRun = 256

/**
 * What a pattern of any encoding repeats without end: letters, punctuation, digits, space, and what may
 * follow punctuation in o200k.
 */
const longRun = new RegExp(
  [`[\\p{L}\\p{M}]`, `[^\\s\\p{L}\\p{N}]`, `\\p{N}`, `\\s`, `[\\r\\n/]`].map(kind => `${kind}{${maxRun + 1},}`).join('|'),
  'gu',
)

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** The text in consecutive pieces; one, when nothing has to be cut. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  let from = 0
  for (const run of text.matchAll(longRun)) {
    const end = run.index + run[0].length
    for (let cut = run.index + maxRun; cut < end; cut += maxRun) {
      if (isLowSurrogate(text, cut)) cut++
      pieces.push(text.slice(from, cut))
      from = cut
    }
  }
  pieces.push(from === 0 ? text : text.slice(from))
  return pieces
}

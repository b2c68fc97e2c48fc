// A run that the tokenizer's own pattern does not split (a quarter of a million letters) is cut before it is
// counted: such runs do not occur in prose, and a cut adds at most one token.

export const maxRun = 256

/**
 * What a pattern of any encoding repeats without end: letters, punctuation, digits, space, and what may
 * follow punctuation in o200k.
 */
const kinds = [`[\\p{L}\\p{M}]`, `[^\\s\\p{L}\\p{N}]`, `\\p{N}`, `\\s`, `[\\r\\n/]`]
/** At a position, and anywhere: there only where a run begins, or each byte of a shorter one would be tried. */
const runHere = new RegExp(kinds.map(kind => `${kind}{${maxRun + 1},}`).join('|'), 'uy')
const runLater = new RegExp(kinds.map(kind => `(?<!${kind})${kind}{${maxRun + 1},}`).join('|'), 'gu')

/** A bit for each kind that a UTF-16 unit is of. Halves of a pair may be of any. */
let kindsOfUnit: Uint8Array | undefined

function tabulated(): Uint8Array {
  const table = new Uint8Array(1 << 16)
  kinds.forEach((kind, bit) => {
    const isKind = new RegExp(kind, 'u')
    for (let unit = 0; unit < table.length; unit++) {
      const isHalf = (unit & 0xf800) === 0xd800
      if (isHalf || isKind.test(String.fromCharCode(unit))) table[unit]! |= 1 << bit
    }
  })
  return table
}

/**
 * Nearly every text has no such run, and the patterns look at each of its characters: a run covers one of the
 * units that stand `maxRun` apart, and around those it would have to go on.
 */
function mayHaveRun(text: string): boolean {
  const table = (kindsOfUnit ??= tabulated())
  for (let at = 0; at < text.length; at += maxRun) {
    const own = table[text.charCodeAt(at)]!
    for (let bit = 1; bit <= own; bit <<= 1) {
      if ((own & bit) === 0) continue
      let from = at
      while (from > 0 && at - from < maxRun && (table[text.charCodeAt(from - 1)]! & bit) !== 0) from--
      let end = at + 1
      while (end < text.length && end - from <= maxRun && (table[text.charCodeAt(end)]! & bit) !== 0) end++
      if (end - from > maxRun) return true
    }
  }
  return false
}

/** From `from` on; what is left of a run that overlaps the last one begins there. */
function nextRun(text: string, from: number): RegExpExecArray | null {
  runHere.lastIndex = from
  runLater.lastIndex = from
  return runHere.exec(text) ?? runLater.exec(text)
}

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** The text in consecutive pieces; one, when nothing has to be cut. */
export function piecesOf(text: string): readonly string[] {
  if (!mayHaveRun(text)) return [text]
  const pieces: string[] = []
  let from = 0
  for (let run = nextRun(text, 0), end = 0; run !== null; run = nextRun(text, end)) {
    end = run.index + run[0].length
    for (let cut = run.index + maxRun; cut < end; cut += maxRun) {
      if (isLowSurrogate(text, cut)) cut++
      pieces.push(text.slice(from, cut))
      from = cut
    }
  }
  pieces.push(from === 0 ? text : text.slice(from))
  return pieces
}

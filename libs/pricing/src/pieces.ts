// Cuts long runs of characters that the tokenizer's pattern would not split, such as a quarter of a million letters. Such runs do not occur
// in prose, and a cut adds at most one token.

export const maxRun = 256

/**
 * Character classes that the encodings' patterns repeat without limit: letters, punctuation, digits, space, and the characters that can
 * follow punctuation in o200k.
 */
const kinds = [`[\\p{L}\\p{M}]`, `[^\\s\\p{L}\\p{N}]`, `\\p{N}`, `\\s`, `[\\r\\n/]`]
/**
 * `runHere` matches a run that starts at a given position. `runLater` searches for the next run. The lookbehind in `runLater` makes the
 * search fast: without the lookbehind, `runLater` would try a match at every character of a run that is too short, not only at the first.
 */
const runHere = new RegExp(kinds.map(kind => `${kind}{${maxRun + 1},}`).join('|'), 'uy')
const runLater = new RegExp(kinds.map(kind => `(?<!${kind})${kind}{${maxRun + 1},}`).join('|'), 'gu')

/** Maps each UTF-16 unit to the bits of its classes. A surrogate can belong to any class. */
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
 * A fast test that is false for nearly all texts, so that the patterns are rarely needed. Every long run includes a position that is a
 * multiple of `maxRun`. The function therefore examines only the characters at these positions and their neighbors.
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

/** Finds the first run at or after `from`. If a run began before `from`, only `runHere` can find its rest, which begins at `from`. */
function nextRun(text: string, from: number): RegExpExecArray | null {
  runHere.lastIndex = from
  runLater.lastIndex = from
  return runHere.exec(text) ?? runLater.exec(text)
}

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Returns a single piece if no cut is needed. */
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

// Compares JSON by path, and text by word.
import { diffWordsWithSpace } from 'diff'
import { isRecord, parseExact, writeExact } from '../content/exact.ts'

export interface PathDifference {
  readonly path: string
  readonly a: string | undefined
  readonly b: string | undefined
}

const mostDifferences = 500

const isContainer = (value: unknown): value is object => Array.isArray(value) || isRecord(value)
const keyText = (key: string, isList: boolean) =>
  isList ? `[${key}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

/** Returns undefined if a text is not a JSON object or list. */
export function jsonDifferences(textA: string, textB: string): readonly PathDifference[] | undefined {
  const [a, b] = [parseExact(textA), parseExact(textB)]
  if (!isContainer(a) || !isContainer(b)) return undefined
  const found: PathDifference[] = []
  const todo: { readonly path: string; readonly a: unknown; readonly b: unknown }[] = [{ path: '', a, b }]
  for (let next = todo.pop(); next !== undefined && found.length < mostDifferences; next = todo.pop()) {
    const { path } = next
    if (isContainer(next.a) && isContainer(next.b) && Array.isArray(next.a) === Array.isArray(next.b)) {
      const [ofA, ofB] = [next.a as Readonly<Record<string, unknown>>, next.b as Readonly<Record<string, unknown>>]
      const keys = [...new Set([...Object.keys(ofA), ...Object.keys(ofB)])].reverse()
      for (const key of keys) todo.push({ path: path + keyText(key, Array.isArray(next.a)), a: ofA[key], b: ofB[key] })
      continue
    }
    const said = (value: unknown) => (value === undefined ? undefined : typeof value === 'string' ? value : writeExact(value))
    const [saidA, saidB] = [said(next.a), said(next.b)]
    if (saidA !== saidB || typeof next.a !== typeof next.b) found.push({ path: path || '.', a: saidA, b: saidB })
  }
  return found
}

export interface Piece {
  readonly text: string
  readonly in: 'both' | 'a' | 'b'
}

/** Maximum total length of two texts that are compared word by word. With longer texts, the comparison would take seconds. */
const longestText = 40_000

export function wordDifferences(a: string, b: string): readonly Piece[] {
  if (a === b) return [{ text: a, in: 'both' }]
  if (a.length + b.length > longestText)
    return [
      { text: a, in: 'a' },
      { text: b, in: 'b' },
    ]
  return diffWordsWithSpace(a, b).map(({ value, added, removed }) => ({ text: value, in: added ? 'b' : removed ? 'a' : 'both' }))
}

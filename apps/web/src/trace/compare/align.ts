// Aligns the rows of two traces. Children are aligned by type and name (longest common subsequence).
import type { TraceModel } from '../model/model.ts'
import { textAt } from '../model/packed.ts'

export interface Pair {
  /** Index of the row in the first trace, or -1 if the first trace lacks the row. `b` is the index in the second trace. */
  readonly a: number
  readonly b: number
  readonly depth: number
}

/** Maximum length of lists that are compared completely. In longer lists, equal keys are paired in order of appearance. */
const longestList = 2_000

const keyOf = (model: TraceModel, row: number): string =>
  row === model.orphanage ? '\0' : `${textAt(model.texts, model.types[row]!)}\0${textAt(model.texts, model.names[row]!)}`

/** Returns pairs of indexes. Each index appears once, and -1 means that there is no partner. */
export function alignKeys(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  let [start, endA, endB] = [0, a.length, b.length]
  while (start < endA && start < endB && a[start] === b[start]) start++
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1]
  const head = Array.from({ length: start }, (_, at) => [at, at] as const)
  const tail = Array.from({ length: a.length - endA }, (_, at) => [endA + at, endB + at] as const)
  return [
    ...head,
    ...between(a.slice(start, endA), b.slice(start, endB)).map(([x, y]) => [x < 0 ? x : x + start, y < 0 ? y : y + start] as const),
    ...tail,
  ]
}

function between(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  if (a.length > longestList || b.length > longestList) return inTurn(a, b)
  const width = b.length + 1
  const common = new Uint16Array((a.length + 1) * width)
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1; y >= 0; y--) {
      common[x * width + y] =
        a[x] === b[y] ? common[(x + 1) * width + y + 1]! + 1 : Math.max(common[(x + 1) * width + y]!, common[x * width + y + 1]!)
    }
  }
  const pairs: (readonly [number, number])[] = []
  let [x, y] = [0, 0]
  while (x < a.length || y < b.length) {
    if (x < a.length && y < b.length && a[x] === b[y]) pairs.push([x++, y++])
    else if (y >= b.length || (x < a.length && common[(x + 1) * width + y]! >= common[x * width + y + 1]!)) pairs.push([x++, -1])
    else pairs.push([-1, y++])
  }
  return pairs
}

/** Pairs the first occurrences of a key, then the second ones, and so on. */
function inTurn(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const places = new Map<string, number[]>()
  b.forEach((key, at) => {
    const known = places.get(key)
    if (known === undefined) places.set(key, [at])
    else known.push(at)
  })
  for (const list of places.values()) list.reverse()
  const pairs = a.map((key, at) => [at, places.get(key)?.pop() ?? -1] as const)
  const used = new Set(pairs.map(([, y]) => y))
  return [...pairs, ...b.flatMap((_, at) => (used.has(at) ? [] : [[-1, at] as const]))]
}

const childrenOf = ({ children: { begins, rows } }: TraceModel, slot: number): readonly number[] =>
  slot < 0 ? [] : Array.from(rows.subarray(begins[slot]!, begins[slot + 1]!))

/** If each trace has a single root, the two roots are aligned even if their names differ. */
export function alignTraces(a: TraceModel, b: TraceModel): readonly Pair[] {
  const pairs: Pair[] = []
  function below(slotA: number, slotB: number, depth: number): readonly Pair[] {
    const [rowsA, rowsB] = [childrenOf(a, slotA), childrenOf(b, slotB)]
    const areRoots = depth === 0 && rowsA.length === 1 && rowsB.length === 1
    const aligned = areRoots
      ? ([[0, 0]] as const)
      : alignKeys(
          rowsA.map(row => keyOf(a, row)),
          rowsB.map(row => keyOf(b, row)),
        )
    return aligned.map(([x, y]) => ({ a: x < 0 ? -1 : rowsA[x]!, b: y < 0 ? -1 : rowsB[y]!, depth }))
  }
  const todo: Pair[] = [...below(a.rows, b.rows, 0)].reverse()
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    pairs.push(pair)
    for (const each of [...below(pair.a, pair.b, pair.depth + 1)].reverse()) todo.push(each)
  }
  return pairs
}

export type Change = 'same' | 'changed' | 'onlyA' | 'onlyB'

/** Durations always differ a little. A difference counts only above 50 ms and above a fifth of the longer duration. */
const timePart = 0.2
const timeUs = 50_000

export function changeOf(a: TraceModel, b: TraceModel, pair: Pair): Change {
  if (pair.b < 0) return 'onlyA'
  if (pair.a < 0) return 'onlyB'
  const [usA, usB] = [a.endsUs[pair.a]! - a.startsUs[pair.a]!, b.endsUs[pair.b]! - b.startsUs[pair.b]!]
  const isSlower = Math.abs(usA - usB) > Math.max(timeUs, timePart * Math.max(usA, usB))
  const differs =
    isSlower ||
    a.levels[pair.a] !== b.levels[pair.b] ||
    a.ownTokens[pair.a] !== b.ownTokens[pair.b] ||
    textAt(a.texts, a.models[pair.a]!) !== textAt(b.texts, b.models[pair.b]!)
  return differs ? 'changed' : 'same'
}

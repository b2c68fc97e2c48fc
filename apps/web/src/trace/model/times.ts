// Computes where time was spent.
import type { Children, Gaps, Piece, Waits } from './model.ts'

interface Times {
  readonly startsUs: Float64Array
  readonly endsUs: Float64Array
  readonly children: Children
  readonly totalUs: number
}

const gapPart = 0.02
const maxGapsOfARow = 8

export function selfTimes({ startsUs, endsUs, children: { begins: childBegins, rows: children }, totalUs }: Times) {
  const rows = startsUs.length
  const selfUs = new Float64Array(rows)
  const begins = new Int32Array(rows + 1)
  const us: number[] = []
  const shortest = Math.max(1, totalUs * gapPart)
  for (let row = 0; row < rows; row++) {
    const [start, end] = [startsUs[row]!, endsUs[row]!]
    const [first, last] = [childBegins[row]!, childBegins[row + 1]!]
    begins[row] = us.length / 2
    if (first === last) {
      selfUs[row] = end - start
      continue
    }
    let [covered, free, left] = [start, 0, maxGapsOfARow]
    const pass = (until: number) => {
      if (until <= covered) return
      free += until - covered
      if (until - covered >= shortest && left-- > 0) us.push(covered, until)
    }
    for (let at = first; at < last && covered < end; at++) {
      const child = children[at]!
      pass(Math.min(startsUs[child]!, end))
      covered = Math.max(covered, Math.min(endsUs[child]!, end))
    }
    pass(end)
    selfUs[row] = free
  }
  begins[rows] = us.length / 2
  const gaps: Gaps = { begins, us: Float64Array.from(us) }
  return { selfUs, gaps }
}

/**
 * Computes the critical path backwards, from the end of the trace. The last child for which a row on the path waits is the child that ends
 * last. Before this child started, the row waited for the previous child of the path. The previous child is the child that ended last among
 * the children that had ended when this child started. The function goes back from child to child in this way, until no child had ended
 * when the current child started. The result `path` lists the pieces of the path in order of time. The pieces cover the whole trace.
 */
export function criticalPath({ startsUs, endsUs, children: { begins, rows: children }, totalUs }: Times) {
  const rows = startsUs.length
  const isOnPath = new Uint8Array(rows)
  const pieces: Piece[] = []
  const stack: { readonly row: number; readonly sinceUs: number; readonly untilUs: number }[] = [
    { row: rows, sinceUs: 0, untilUs: totalUs },
  ]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { row, sinceUs, untilUs } = top
    const isRoot = row === rows
    if (!isRoot) isOnPath[row] = 1
    // A child can start before its parent starts.
    const start = isRoot ? 0 : Math.max(sinceUs, startsUs[row]!)
    const until = isRoot ? untilUs : Math.min(untilUs, endsUs[row]!)
    const own = (fromUs: number, toUs: number) => {
      if (toUs > fromUs) pieces.push({ row: isRoot ? -1 : row, fromUs, toUs })
    }
    let at = until
    for (const child of byEnd(children.subarray(begins[row]!, begins[row + 1]!), endsUs, until)) {
      const end = Math.min(endsUs[child]!, until)
      const childStart = Math.max(startsUs[child]!, start)
      if (end > at || childStart >= at || childStart >= end) continue
      own(end, at)
      stack.push({ row: child, sinceUs: childStart, untilUs: end })
      at = childStart
    }
    own(start, at)
  }
  return { isOnPath, path: pieces.sort((a, b) => a.fromUs - b.fromUs) }
}

function byEnd(children: Int32Array, endsUs: Float64Array, until: number): Int32Array {
  if (children.length < 2) return children
  const end = (row: number) => Math.min(endsUs[row]!, until)
  return children.slice().sort((a, b) => end(b) - end(a) || a - b)
}

interface Waited {
  readonly path: readonly Piece[]
  /** Index of each row's name in `texts`. */
  readonly names: Int32Array
  readonly texts: readonly string[]
  readonly children: Children
}

export function waitsOf({ path, names, texts, children: { begins } }: Waited): Waits {
  const sums = new Map<number, number>()
  let nothingUs = 0
  for (const { row, fromUs, toUs } of path) {
    const isLeaf = row >= 0 && begins[row] === begins[row + 1]
    if (isLeaf) sums.set(names[row]!, (sums.get(names[row]!) ?? 0) + toUs - fromUs)
    else nothingUs += toUs - fromUs
  }
  const parts = [...sums].map(([name, us]) => ({ name: texts[name]!, us })).sort((a, b) => b.us - a.us)
  return { parts, nothingUs }
}

// The lines in which a JSON value is displayed. Below an unfolded container, the lines show its values. Below an unfolded long string, the
// lines show its pieces. If a string contains JSON, unfolding the string shows the lines of this JSON.
import { type JsonIndex, kinds, scanJson, stringAt } from './scan.ts'

export interface Document {
  readonly text: string
  readonly index: JsonIndex
  readonly open: Set<number>
  /** Maps the node of a string to the JSON in this string, or to null if the string contains no JSON. */
  readonly inner: Map<number, Document | null>
}

export interface Line {
  readonly document: Document
  readonly node: number
  readonly depth: number
  /** Undefined if the line shows the value itself. */
  readonly piece?: string
}

const { object, array, string } = kinds
const shortString = 120
const firstUnfolded = 60

export const documentOf = (text: string, index: JsonIndex): Document => ({ text, index, open: new Set(), inner: new Map() })

const isContainer = (kind: number | undefined) => kind === object || kind === array

/** Unfolds about sixty lines from the top. */
export function unfoldFirst({ index, open }: Document): void {
  let lines = 1
  const queue = [0]
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!
    if (!isContainer(index.kinds[node]) || index.counts[node] === 0) continue
    if (lines + index.counts[node]! > firstUnfolded && node !== 0) continue
    lines += index.counts[node]!
    open.add(node)
    for (let child = node + 1, seen = 0; child < index.nexts[node]! && seen < firstUnfolded; child = index.nexts[child]!, seen++)
      queue.push(child)
  }
}

export function unfolds({ text, index }: Document, node: number): boolean {
  const kind = index.kinds[node]
  if (isContainer(kind)) return index.counts[node]! > 0
  if (kind !== string) return false
  const [start, end] = [index.starts[node]!, index.ends[node]!]
  if (end - start > shortString) return true
  const said = text.slice(start + 1, end - 1)
  return said.includes('\\n') || /^\s*[[{]/.test(said)
}

function innerOf(document: Document, node: number): Document | null {
  const known = document.inner.get(node)
  if (known !== undefined) return known
  const said = stringAt(document.text, document.index.starts[node]!, document.index.ends[node]!)
  const index = /^\s*[[{]/.test(said) ? scanJson(said) : undefined
  const inner = index === undefined ? null : documentOf(said, index)
  if (inner !== null) unfoldFirst(inner)
  document.inner.set(node, inner)
  return inner
}

/** Splits preferably at line ends. */
export function piecesOf(text: string, width: number): string[] {
  const pieces: string[] = []
  for (const line of text.split('\n')) {
    if (line.length <= width) {
      pieces.push(line)
      continue
    }
    for (let at = 0; at < line.length; ) {
      let end = Math.min(line.length, at + width)
      const space = end < line.length ? line.lastIndexOf(' ', end) : -1
      if (space > at + width / 2) end = space + 1
      else if (end < line.length && /[\uD800-\uDBFF]/.test(line[end - 1]!)) end--
      pieces.push(line.slice(at, end))
      at = end
    }
  }
  return pieces
}

export function linesOf(document: Document, width: number): readonly Line[] {
  const lines: Line[] = []
  addLines(lines, document, 0, width)
  return lines
}

interface Walk {
  readonly document: Document
  readonly depth: number
  node: number
  readonly end: number
}

function addLines(lines: Line[], root: Document, rootDepth: number, width: number): void {
  // A JSON document has exactly one top-level value.
  const stack: Walk[] = [{ document: root, depth: rootDepth, node: 0, end: root.index.nexts[0]! }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.node >= top.end) {
      stack.pop()
      continue
    }
    const { document, depth, node } = top
    const { index, open } = document
    top.node = index.nexts[node]!
    lines.push({ document, node, depth })
    if (!open.has(node) || !unfolds(document, node)) continue
    if (isContainer(index.kinds[node])) {
      stack.push({ document, depth: depth + 1, node: node + 1, end: index.nexts[node]! })
      continue
    }
    const inner = innerOf(document, node)
    if (inner !== null) stack.push({ document: inner, depth: depth + 1, node: 0, end: inner.index.nexts[0]! })
    else {
      const said = stringAt(document.text, index.starts[node]!, index.ends[node]!)
      for (const piece of piecesOf(said, width)) lines.push({ document, node, depth: depth + 1, piece })
    }
  }
}

export function revealAt({ index, open }: Document, place: number): number {
  let [low, high] = [0, index.starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const start = index.keyStarts[middle]! >= 0 ? index.keyStarts[middle]! : index.starts[middle]!
    if (start <= place) low = middle
    else high = middle - 1
  }
  for (let at = index.parents[low]!; at >= 0; at = index.parents[at]!) open.add(at)
  return low
}

/** `.a.b[3]` */
export function pathOf({ text, index }: Document, node: number): string {
  const parts: string[] = []
  for (let at = node; index.parents[at]! >= 0; at = index.parents[at]!) {
    if (index.keyStarts[at]! >= 0) {
      const key = stringAt(text, index.keyStarts[at]!, index.keyEnds[at]!)
      parts.push(/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)
      continue
    }
    let position = 0
    for (let sibling = index.parents[at]! + 1; sibling < at; sibling = index.nexts[sibling]!) position++
    parts.push(`[${position}]`)
  }
  return parts.reverse().join('')
}

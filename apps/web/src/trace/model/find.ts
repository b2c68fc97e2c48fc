// What keys go to, and what names are found by: everything that needs no contents.
import { errorLevel, type TraceModel } from './model.ts'
import { textAt, unpack } from './packed.ts'

/** Rows with an error, from top to bottom. */
export function errorRows({ preorder, levels }: TraceModel): readonly number[] {
  return Array.from(preorder).filter(row => levels[row] === errorLevel)
}

/** The error that a chain of errors began with is the deepest: from `row` up, each row that failed too. */
export function errorChain({ parents, levels }: TraceModel, row: number): readonly number[] {
  const chain: number[] = []
  for (let at = row; at !== -1 && levels[at] === errorLevel; at = parents[at]!) chain.push(at)
  return chain
}

/** The child with most of something; -1 without children. */
export function childWithMost({ children: { begins, rows: children } }: TraceModel, row: number, of: (child: number) => number): number {
  let best = -1
  for (let at = begins[row]!; at < begins[row + 1]!; at++) if (best < 0 || of(children[at]!) > of(best)) best = children[at]!
  return best
}

/** Texts in lower case, made once. */
export interface NameIndex {
  readonly texts: readonly string[]
}

export const nameIndex = ({ texts }: TraceModel): NameIndex => ({ texts: unpack(texts).map(text => text.toLowerCase()) })

/** Rows whose name, id, type, model, message or a metadata key contains the text, from top to bottom. */
export function findNames(model: TraceModel, index: NameIndex, text: string): readonly number[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return []
  const { preorder, names, types, models, messages, keys, keySets, ids, orphanage } = model
  const fits = Uint8Array.from(index.texts, each => (each.includes(sought) ? 1 : 0))
  const keysFit = Uint8Array.from(keySets, set => (set.some(key => fits[key] === 1) ? 1 : 0))
  // Ids look alike: a few characters of one mean nothing.
  const mayBeId = sought.length >= 4
  return Array.from(preorder).filter(
    row =>
      row !== orphanage &&
      (fits[names[row]!] === 1 ||
        fits[types[row]!] === 1 ||
        fits[models[row]!] === 1 ||
        fits[messages[row]!] === 1 ||
        keysFit[keys[row]!] === 1 ||
        (mayBeId && textAt(ids, row).toLowerCase().includes(sought))),
  )
}

export interface PathPart {
  readonly name: string
  readonly us: number
}

/** What the trace waited for, by name, longest first; `nothing`: rows that have children waited for none of them. */
export function pathParts({ path, texts, names, children: { begins } }: TraceModel): {
  readonly parts: readonly PathPart[]
  readonly nothingUs: number
} {
  const sums = new Map<number, number>()
  let nothingUs = 0
  for (const { row, fromUs, toUs } of path) {
    const isLeaf = row >= 0 && begins[row] === begins[row + 1]
    if (isLeaf) sums.set(names[row]!, (sums.get(names[row]!) ?? 0) + toUs - fromUs)
    else nothingUs += toUs - fromUs
  }
  const parts = [...sums].map(([name, us]) => ({ name: textAt(texts, name), us })).sort((a, b) => b.us - a.us)
  return { parts, nothingUs }
}

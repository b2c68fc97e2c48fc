// Finds the rows that keyboard shortcuts select, and searches rows by text.
import { errorLevel, type TraceModel } from './model.ts'
import { unpack } from './packed.ts'

/**
 * Returns a failed row and its failed ancestors, up to the first ancestor that has not failed. The deepest failed row is the origin of the
 * error.
 */
export function errorChain({ parents, levels }: TraceModel, row: number): readonly number[] {
  const chain: number[] = []
  for (let at = row; at !== -1 && levels[at] === errorLevel; at = parents[at]!) chain.push(at)
  return chain
}

/** Returns the child for which `of` returns the highest number. Returns -1 if the row has no children. */
export function childWithMost({ children: { begins, rows: children } }: TraceModel, row: number, of: (child: number) => number): number {
  let best = -1
  for (let at = begins[row]!; at < begins[row + 1]!; at++) if (best < 0 || of(children[at]!) > of(best)) best = children[at]!
  return best
}

/** Texts in lower case. */
export interface NameIndex {
  readonly texts: readonly string[]
  readonly ids: string
}

export const nameIndex = ({ texts, ids }: TraceModel): NameIndex => ({
  texts: unpack(texts).map(text => text.toLowerCase()),
  ids: ids.text.toLowerCase(),
})

/** `ids` is one text: the ids of all rows in lower case, one after the other. */
function findIds({ ids: { ends }, rows }: TraceModel, ids: string, sought: string): Uint8Array {
  const found = new Uint8Array(rows)
  // The lower-case form of some characters has a different length. If the ids contain such a character, the positions in `ids` are wrong,
  // so the function finds no id.
  if (ids.length !== (ends.at(-1) ?? 0)) return found
  let row = 0
  for (let at = ids.indexOf(sought); at >= 0; at = ids.indexOf(sought, at + 1)) {
    while (ends[row]! <= at) row++
    if (at + sought.length <= ends[row]!) found[row] = 1
  }
  return found
}

/** Searches name, id, type, model, message and metadata keys. */
export function findNames(model: TraceModel, index: NameIndex, text: string): readonly number[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return []
  const { preorder, names, types, models, messages, keys, keySets, orphanage } = model
  const fits = Uint8Array.from(index.texts, each => (each.includes(sought) ? 1 : 0))
  const keysFit = Uint8Array.from(keySets, set => (set.some(key => fits[key] === 1) ? 1 : 0))
  // Ids are not searched for short texts, because a short text would often match a random id by chance.
  const idFits = sought.length >= 4 ? findIds(model, index.ids, sought) : undefined
  return Array.from(preorder).filter(
    row =>
      row !== orphanage &&
      (fits[names[row]!] === 1 ||
        fits[types[row]!] === 1 ||
        fits[models[row]!] === 1 ||
        fits[messages[row]!] === 1 ||
        keysFit[keys[row]!] === 1 ||
        idFits?.[row] === 1),
  )
}

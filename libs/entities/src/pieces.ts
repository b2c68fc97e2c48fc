// Splits a state that is too large for one record into several states. Joining these states gives the original state.
import { leavesOf, type MetadataLeaf, treeOf } from './metadata.ts'
import type { EventOrder } from './order.ts'
import { type EntityState, type FieldName, nothingSaid, type SaidField } from './state.ts'

export interface PieceSizes {
  /** If the next value would make a piece larger than this, the value begins a new piece. */
  readonly pieceBytes: number
  /** A single value above this size is dropped. */
  readonly maxBytes: number
}

export interface Pieces {
  readonly pieces: readonly EntityState[]
  /** Number of dropped values. */
  readonly cut: number
}

interface Piece {
  readonly fields: Map<FieldName, SaidField>
  readonly leaves: MetadataLeaf[]
  readonly tags: string[]
}

/** Bytes of an item in addition to its texts, for its numbers and lengths. */
const itemBytes = 64

const bytesOfText = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text))
const bytesOfOrder = ({ id, hash }: EventOrder): number => itemBytes + bytesOfText(id) + bytesOfText(hash)

export function piecesOf(state: EntityState, { pieceBytes, maxBytes }: PieceSizes): Pieces {
  const all: Piece[] = []
  let bytes = pieceBytes
  let cut = 0

  function roomFor(size: number): Piece | null {
    if (size > maxBytes) {
      cut++
      return null
    }
    if (bytes + size > pieceBytes) {
      all.push({ fields: new Map(), leaves: [], tags: [] })
      bytes = 0
    }
    bytes += size
    return all.at(-1)!
  }

  for (const [name, said] of state.fields) roomFor(bytesOfOrder(said.by) + bytesOfText(said.value))?.fields.set(name, said)
  for (const leaf of leavesOf(state.metadata)) {
    const path = leaf.path.reduce((sum, name) => sum + itemBytes + bytesOfText(name), 0)
    roomFor(bytesOfOrder(leaf.by) + path + bytesOfText(leaf.value))?.leaves.push(leaf)
  }
  for (const tag of state.tags) roomFor(itemBytes + bytesOfText(tag))?.tags.push(tag)

  const { firstMs, createdMs, legacy, legacyChild, root } = state
  const first: EntityState = { ...nothingSaid, firstMs, createdMs, legacy, legacyChild, root }
  const rest = all.map(({ fields, leaves, tags }): EntityState => ({ ...nothingSaid, fields, metadata: treeOf(leaves), tags }))
  return { pieces: [first, ...rest], cut }
}

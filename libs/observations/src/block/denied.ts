// Spans of deleted traces. Each is written as a tombstone, a row with a key and no other content.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { RowPlace } from './row-place.ts'

/** Knows the deletions. The results of these methods must not change while a chunk is encoded. */
export interface DeniedTraces {
  /** Whether any data of the project is denied; called once per record. */
  concerns(projectId: string): boolean
  denies(projectId: string, traceId: string): boolean
}

/** A tombstone has a newer version than the span's own row, so the tombstone wins, whichever of the two is inserted last. */
export const tombstoneTicks = 1

/** `block` has the table's columns. */
export type CreateTombstones = (block: BlockBuilder) => (row: number, place: RowPlace) => void

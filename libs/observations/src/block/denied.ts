// Spans of deleted traces. Each span of a deleted trace is written as a tombstone, a row with a key and no other content.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { RowPlace } from './row-place.ts'

/** Decides which spans are denied because their trace was deleted. The result of a method must not change while a chunk is encoded. */
export interface DeniedTraces {
  /** True if any data of the project is denied. The encoder calls this method once per record. */
  concerns(projectId: string): boolean
  denies(projectId: string, traceId: string): boolean
}

/** A tombstone has a newer version than the span's own row, so the tombstone wins, even if the row is inserted later. */
export const tombstoneTicks = 1

/** `block` has the columns of the span table. The function that this method returns writes one tombstone. */
export type CreateTombstones = (block: BlockBuilder) => (row: number, place: RowPlace) => void

// A span of a deleted trace is denied: instead of its row, the writer stores a tombstone. A tombstone is a row with only a key.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { RowPlace } from './row-place.ts'

/** Decides which spans are denied. The answers must not change while a chunk is encoded. */
export interface DeniedTraces {
  /** True if any data of the project is denied. Called once per record. */
  concerns(projectId: string): boolean
  denies(projectId: string, traceId: string): boolean
}

/** A tombstone is newer than the span's row by this number of ticks. The tombstone therefore wins, even if the row is inserted later. */
export const tombstoneTicks = 1

/** Returns a function that writes one tombstone into the block. The block has the columns of the span table. */
export type CreateTombstones = (block: BlockBuilder) => (row: number, place: RowPlace) => void

// Spans of traces that were deleted: each is a tombstone in place of its row, whose key says all that it has.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { RowPlace } from './row-place.ts'

/** Who knows what was deleted. Its answers must not change while a chunk is made. */
export interface DeniedTraces {
  /** Whether anything of the project is denied: asked once a record. */
  concerns(projectId: string): boolean
  denies(projectId: string, traceId: string): boolean
}

/** A version of a tombstone is newer than that of the row that it stands for: whichever of the two is inserted last. */
export const tombstoneTicks = 1

/** `block` has the columns of the table. */
export type CreateTombstones = (block: BlockBuilder) => (row: number, place: RowPlace) => void

// Records of another kind that lie among those of spans, and become rows of the same block: a chunk is one
// insert. Who makes the rows is not known here.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { CatalogueLookup } from '../columns/catalogue-lookup.ts'
import type { ChunkRecord, RejectedRow } from './chunk.ts'
import type { DeniedTraces } from './denied.ts'
import type { RowPlace } from './row-place.ts'

export interface OtherRows {
  readonly projectId: string
  /** Of its rows, in their order; none is fine. `index` is the row's own within the record. */
  readonly places: readonly RowPlace[]
  /** The record's item is denied: its rows are tombstones. */
  readonly denied: boolean
  /** Writes a row of the record. */
  write(row: number, index: number): void
}

interface OtherRecords {
  /** Asked for every record. */
  knows(value: Uint8Array): boolean
  /** A record is one item, whatever number of rows it has. Never throws for what it contains. */
  open(record: ChunkRecord, denied?: DeniedTraces): OtherRows | RejectedRow
}

/** `block` has the columns of the table that spans go to: who writes into it asks it for them. */
export type CreateOtherRecords = (block: BlockBuilder, lookup: CatalogueLookup) => OtherRecords

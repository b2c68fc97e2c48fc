// Handles the records of a chunk that contain no spans, such as entities. The chunk can also contain records with spans. A chunk is one
// insert, so the rows of both kinds of records go into the same block. The caller supplies the code that encodes the rows of the records
// without spans.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { CatalogLookup } from '../columns/catalog-lookup.ts'
import type { ChunkRecord, RejectedRow } from './chunk.ts'
import type { DeniedTraces } from './denied.ts'
import type { RowPlace } from './row-place.ts'

export interface OtherRows {
  readonly projectId: string
  /** The record's rows, in order. The list can be empty. `index` counts within the record. */
  readonly places: readonly RowPlace[]
  /** If true, the rows are tombstones. */
  readonly denied: boolean
  write(row: number, index: number): void
}

interface OtherRecords {
  /** True if this module handles the record. Called for every record. */
  knows(value: Uint8Array): boolean
  /** A record counts as one item, however many rows it has. For an invalid record, returns a `RejectedRow` and does not throw. */
  open(record: ChunkRecord, denied?: DeniedTraces): OtherRows | RejectedRow
}

/** `block` has the columns of the span table; the created object fills some of these columns. */
export type CreateOtherRecords = (block: BlockBuilder, lookup: CatalogLookup) => OtherRecords

// Handles records that contain no spans, for example entities, in a chunk of span records. Records of other kinds become rows of the same
// block as the spans, because a chunk is one insert. The caller supplies the encoder for records of other kinds.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { CatalogLookup } from '../columns/catalog-lookup.ts'
import type { ChunkRecord, RejectedRow } from './chunk.ts'
import type { DeniedTraces } from './denied.ts'
import type { RowPlace } from './row-place.ts'

export interface OtherRows {
  readonly projectId: string
  /**
   * Returns the positions of the record's rows, in the order of the rows. A record without spans can also have no rows. `index` is the
   * row's position within the record.
   */
  readonly places: readonly RowPlace[]
  /** True if the record is denied, so that its rows are tombstones. */
  readonly denied: boolean
  /** Writes a row of the record. */
  write(row: number, index: number): void
}

interface OtherRecords {
  /** True if this module handles the record. The encoder calls this method for every record. */
  knows(value: Uint8Array): boolean
  /** Opens a record. The record counts as one item, however many rows it has. Never throws because of the record's contents. */
  open(record: ChunkRecord, denied?: DeniedTraces): OtherRows | RejectedRow
}

/** `block` has the columns of the span table. The created object writes into some of the span table's columns. */
export type CreateOtherRecords = (block: BlockBuilder, lookup: CatalogLookup) => OtherRecords

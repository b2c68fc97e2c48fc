// The state of a chunk for one destination, between the encoding and the ledger.
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from './deliveries.ts'
import type { EncodedRows, RowPlace, RowSelection } from './destinations/row-encoder.ts'

export interface Encoded {
  readonly delivery: Delivery
  /** Null if no record of the chunk can be encoded. */
  readonly block: EncodedRows | null
  /** Rejections of this stage and of the earlier stages. */
  readonly rejected: readonly Rejection[]
  /** Number of items that an earlier attempt has stored and that the current rules reject. */
  readonly kept: number
  /** Returns key, version and position of each row of the block, in the same order. */
  places(): Promise<readonly RowPlace[]>
  /**
   * Places of earlier rows whose records have the same append time (in milliseconds) as the chunk's first record. Rejects with
   * log_unavailable.
   */
  placesBefore(): Promise<readonly RowPlace[]>
  /** Encodes selected rows of the block. */
  only(rows: RowSelection): Promise<EncodedRows>
  /** Returns the unchanged items of the selected rows, as rejections by the column store. */
  refused(rows: RowSelection): Promise<readonly Rejection[]>
}

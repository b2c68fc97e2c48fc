// A chunk for one destination, between encoding and ledger.
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from './deliveries.ts'
import type { EncodedRows, RowPlace, RowSelection } from './destinations/row-encoder.ts'

export interface Encoded {
  readonly delivery: Delivery
  /** Null: no record of the chunk can be encoded. */
  readonly block: EncodedRows | null
  /** Rejections of this stage and of the stages before. */
  readonly rejected: readonly Rejection[]
  /** Items that today's rules reject and an earlier attempt stored. */
  readonly kept: number
  /** Places of the block's rows, in its order. */
  places(): Promise<readonly RowPlace[]>
  /** Rows of earlier records that were appended in the same millisecond as the chunk's first record. Rejects with log_unavailable. */
  placesBefore(): Promise<readonly RowPlace[]>
  /** Encodes selected rows of the block. */
  only(rows: RowSelection): Promise<EncodedRows>
  /** Unchanged items, as rejections by the column store. */
  refused(rows: RowSelection): Promise<readonly Rejection[]>
}

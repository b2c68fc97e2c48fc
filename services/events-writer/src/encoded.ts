// A chunk of one destination, between encoding and ledger.
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from './deliveries.ts'
import type { EncodedRows, RowPlace, RowSelection } from './destinations/row-encoder.ts'

export interface Encoded {
  readonly delivery: Delivery
  /** Null if no record of the chunk can be encoded. */
  readonly block: EncodedRows | null
  /** From this stage and the earlier stages. */
  readonly rejected: readonly Rejection[]
  /** Items that the current rules reject, but an earlier attempt has stored. */
  readonly kept: number
  /** Key, version and position of each row of the block. */
  places(): Promise<readonly RowPlace[]>
  /** Places of earlier rows with the append time (in milliseconds) of the chunk's first record. Rejects with log_unavailable. */
  placesBefore(): Promise<readonly RowPlace[]>
  /** Encodes selected rows of the block. */
  only(rows: RowSelection): Promise<EncodedRows>
  /** The unchanged items of the selected rows, as rejections by the column store. */
  refused(rows: RowSelection): Promise<readonly Rejection[]>
}

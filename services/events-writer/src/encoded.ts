// A chunk of one destination, between encoding and ledger.
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from './deliveries.ts'
import type { EncodedRows, RowPlace, RowSelection } from './destinations/row-encoder.ts'

export interface Encoded {
  readonly delivery: Delivery
  /** Null if no record of the chunk can be encoded. */
  readonly block: EncodedRows | null
  /** Includes the rejections of earlier stages. */
  readonly rejected: readonly Rejection[]
  /** Items that the current rules reject, but an earlier attempt has stored. */
  readonly kept: number
  places(): Promise<readonly RowPlace[]>
  /** Places of earlier rows with the append time (in milliseconds) of the chunk's first record. Rejects with log_unavailable. */
  placesBefore(): Promise<readonly RowPlace[]>
  only(rows: RowSelection): Promise<EncodedRows>
  /** The items of these rows, as rejections by the column store. */
  refused(rows: RowSelection): Promise<readonly Rejection[]>
}

// A chunk for one destination, between encoding and ledger.
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from './deliveries.ts'
import type { EncodedRows, RowPlace, RowSelection } from './destinations/row-encoder.ts'

export interface Encoded {
  readonly delivery: Delivery
  /** Null: the chunk has no record that can be encoded. */
  readonly block: EncodedRows | null
  /** Of the stages before, and of this one. */
  readonly rejected: readonly Rejection[]
  /** Items that are rejected today and that an earlier try has stored. */
  readonly kept: number
  /** Which rows the block has, in its order. */
  places(): Promise<readonly RowPlace[]>
  /** Rows of the records before the chunk that were appended in the millisecond in which it begins. Rejects with log_unavailable. */
  placesBefore(): Promise<readonly RowPlace[]>
  /** Some rows of the block. */
  only(rows: RowSelection): Promise<EncodedRows>
  /** Items as they came, as what the column store refused. */
  refused(rows: RowSelection): Promise<readonly Rejection[]>
}

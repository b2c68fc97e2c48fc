// A chunk of one destination that is encoded, but does not have its ledger row yet.
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from './deliveries.ts'
import type { EncodedRows, RowPlace, RowSelection } from './destinations/row-encoder.ts'

export interface Encoded {
  readonly delivery: Delivery
  /** Null if no record of the chunk can be encoded. */
  readonly block: EncodedRows | null
  /** All rejections of the chunk, including those of earlier stages. */
  readonly rejected: readonly Rejection[]
  /** Number of items that the current rules reject, but that an earlier attempt has stored. */
  readonly kept: number
  places(): Promise<readonly RowPlace[]>
  /**
   * Finds the earlier records that were appended in the same millisecond as the chunk's first record, and returns the keys and origins of
   * their rows. Rejects with log_unavailable.
   */
  placesBefore(): Promise<readonly RowPlace[]>
  only(rows: RowSelection): Promise<EncodedRows>
  /** The caller uses this method after the column store has refused rows. Returns the items of these rows as rejections. */
  refused(rows: RowSelection): Promise<readonly Rejection[]>
}

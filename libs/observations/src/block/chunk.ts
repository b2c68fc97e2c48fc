import type { RejectReason } from '@svc-server/otlp/rejection'
import type { SpanCursor } from '@svc-server/otlp/span-cursor'
import type { RecordRejectReason } from '../span-view/decode-record.ts'
import type { RowSelection } from './row-place.ts'

export interface ChunkRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestampMs: number
  /** An encoded SpanBatch. */
  readonly value: Uint8Array
}

export interface RejectedRow {
  readonly offset: number
  /** Position in the request; null if the whole record was rejected. */
  readonly index: number | null
  readonly reason: RejectReason | RecordRejectReason
  readonly message: string
  /** Bytes of the rejected span (its protobuf message), or of the whole record if `index` is null. */
  readonly raw: Uint8Array
  readonly projectId: string | null
}

export class Chunk {
  rows = 0
  spans = 0
  decodedBytes = 0
  /** Number of items of deleted traces. Their rows are tombstones. */
  denied = 0
  readonly rejected: RejectedRow[] = []
  readonly only: RowSelection | undefined

  constructor(only: RowSelection | undefined) {
    this.only = only
  }

  reject(
    { offset }: ChunkRecord,
    index: number | null,
    reason: RejectedRow['reason'],
    message: string,
    raw: Uint8Array,
    projectId: string | null,
  ): void {
    this.rejected.push({ offset, index, reason, message, raw: raw.slice(), projectId })
  }

  rejectSpan(
    record: ChunkRecord,
    { bytes, index, spanStart, spanEnd }: SpanCursor,
    projectId: string,
    reason: RejectReason,
    message: string,
  ): void {
    this.reject(record, index, reason, message, bytes.subarray(spanStart, spanEnd), projectId)
  }
}

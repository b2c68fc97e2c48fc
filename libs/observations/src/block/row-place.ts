// The key and the origin of a row. Together, they identify the row among the stored rows.
import type { SpanCursor } from '@svc-server/otlp/span-cursor'
import type { RecordContext, SpanView } from '../span-view/span-view.ts'

export interface RowPlace {
  readonly projectId: string
  readonly traceId: string
  readonly spanId: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** Microseconds since the epoch. */
  readonly eventTsUs: number
  /** YYYYMM in UTC, the table's partition key. */
  readonly month: number
  readonly offset: number
  /** Position of the span in its request. For a record without spans, position of the row in the record. */
  readonly index: number
  /** Type of the observation. Always SPAN if the table does not need the type. */
  readonly type: string
}

/** Maps each record's offset to the indexes of the record's selected spans. */
export type RowSelection = ReadonlyMap<number, ReadonlySet<number>>

export interface RawSpan {
  readonly offset: number
  readonly index: number
  readonly projectId: string
  readonly raw: Uint8Array
}

const hex = (bytes: Uint8Array, start: number, length: 8 | 16) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('hex')

/** 32 hex digits. */
export const traceIdOf = (span: SpanView, { source }: RecordContext): string => hex(source.bytes, span.traceId, 16)

export const placeOf = (span: SpanView, context: RecordContext, offset: number, month: number): RowPlace => ({
  projectId: context.batch.projectId,
  traceId: traceIdOf(span, context),
  spanId: hex(context.source.bytes, span.spanId, 8),
  startTimeUs: span.startUs,
  eventTsUs: context.rowTimeUs,
  month,
  offset,
  index: span.index,
  type: span.type,
})

export const rawOf = ({ bytes, index, spanStart, spanEnd }: SpanCursor, { batch }: RecordContext, offset: number): RawSpan => ({
  offset,
  index,
  projectId: batch.projectId,
  raw: bytes.slice(spanStart, spanEnd),
})

// The rows of a chunk without their contents: which keys they have, and where each came from. Made only when
// somebody has to look for them.
import type { SpanCursor } from '@svc-server/otlp/span-cursor'
import type { RecordContext, SpanView } from '../span-view/span-view.ts'

export interface RowPlace {
  readonly projectId: string
  readonly traceId: string
  readonly spanId: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** event_ts of the row, microseconds since the epoch. */
  readonly eventTsUs: number
  /** YYYYMM, UTC, as the tables are partitioned. */
  readonly month: number
  readonly offset: number
  /** Position of the span in its request; of another kind of record, of the row among its rows. */
  readonly index: number
  /** Of the observation, where the table asks for it; else SPAN. */
  readonly type: string
}

/** Some rows of a chunk: the indexes of spans, by the offset of their record. */
export type RowSelection = ReadonlyMap<number, ReadonlySet<number>>

/** A copy of a span's message. */
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

// The record of spans.direct, spans.staging, spans.filled and spans.overflow: an envelope that contains the OTLP bytes of the client
// (architecture §4).
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Accepted } from './accepted.ts'
import { spanBatchHistory } from './avro/history.ts'
import { createPeek, createRecordCodec, createRewrite } from './avro/record-codec.ts'
import { spanBatchSchema } from './avro/records.ts'
import { type RunItemFill, runItemBytes } from './run-item-fill.ts'
import { fillBytes, type TraceAttributes, withoutNulls } from './trace-attributes.ts'

export type ContentEncoding = 'identity' | 'gzip' | 'zstd'

/**
 * The position of a filled record's spans on the staging topic. Rows have the time `timestampMs` plus `generation` microseconds, so that
 * the rows of a repair replace the earlier ones.
 */
export interface StagedOrigin {
  readonly partition: number
  readonly offset: number
  /** The time at which the staging record was appended. */
  readonly timestampMs: number
  /** Number of earlier publications of these spans; 0 for the first publication. */
  readonly generation: number
}

export interface SpanBatch extends Accepted {
  /** Value of x-svc-ingestion-version. Null if the request does not have the header. */
  readonly ingestionVersion: number | null
  readonly contentEncoding: ContentEncoding
  /**
   * Bytes of the payload after decompression. All size limits apply to the decompressed bytes. The gateway enforces the limits, and readers
   * enforce them again.
   */
  readonly decodedBytes: number
  readonly spanCount: number
  /**
   * Bytes that the rows of the spans will have, computed from the lengths of their values, without the fill-in. Each row repeats the
   * resource and scope of its span. Null or absent in records of gateways that did not compute it.
   */
  readonly rowBytes?: number | null
  /**
   * Work units for mapping the spans, as `createWorkMeter` (libs/otlp) counts them. Null or absent in records of gateways that did not
   * compute it; 0 if the request was too small to count.
   */
  readonly work?: number | null
  /** ExportTraceServiceRequest, compressed according to contentEncoding. */
  readonly payload: Uint8Array
  /** The trace attributes that the propagator fills in. Null on every other route. */
  readonly traceAttributes: TraceAttributes | null
  /** Set only in a filled record. Null or absent on every other route. */
  readonly staged?: StagedOrigin | null
  /** Run items of a filled record's spans. Null or absent if the spans have no run items, or on other routes. */
  readonly runItems?: readonly RunItemFill[] | null
}

/**
 * Returns event_ts, created_at and updated_at of a record's rows, in microseconds: the time at which its spans were first appended to the
 * log. A filled record has the time of its staging record. The rows of a repair or replay replace the earlier rows of the record, and rows
 * of spans sent later stay newer.
 */
export const rowTimeUs = ({ staged }: Pick<SpanBatch, 'staged'>, appendedMs: number): number =>
  staged ? staged.timestampMs * 1000 + staged.generation : appendedMs * 1000

/**
 * Estimated row bytes for records of older gateways, as a multiple of the decoded bytes. Without an estimate, a large resource repeated for
 * many spans could make a chunk arbitrarily large.
 */
const assumedRatio = 4

/** Returns the bytes that a record's rows will have, including the fill-in of each row. The row bytes limit the size of chunks. */
export const rowBytesOfRecord = ({
  rowBytes,
  decodedBytes,
  spanCount,
  traceAttributes,
  runItems,
}: Pick<SpanBatch, 'rowBytes' | 'decodedBytes' | 'spanCount' | 'traceAttributes' | 'runItems'>): number =>
  (rowBytes ?? assumedRatio * decodedBytes) + spanCount * fillBytes(traceAttributes) + runItemBytes(runItems, spanCount)

const codec = createRecordCodec<SpanBatch>(spanBatchSchema, spanBatchHistory)

/**
 * Avro single-object encoding. Copies the payload once, into the result. If `room` is large enough, the result is a view of its start.
 */
export const encodeSpanBatch = (batch: SpanBatch, room?: Buffer): Buffer => codec.encode(batch, room)

/** `payload` is a view of `bytes`, never a copy. Throws UndecodableRecord. */
export function decodeSpanBatch(bytes: Uint8Array): SpanBatch {
  const batch = codec.decode(bytes)
  return batch.traceAttributes === null ? batch : { ...batch, traceAttributes: withoutNulls({ ...batch.traceAttributes }) }
}

const peekMode = createPeek<SpanBatch, 'writeMode'>(spanBatchSchema, spanBatchHistory, 'writeMode')

/**
 * Reads only the write mode from a record's envelope, for consumers that skip most records. Returns null if the record has no write mode.
 * Throws UndecodableRecord.
 */
export const modeOfSpanBatch = (bytes: Uint8Array): WriteMode | null => peekMode(bytes) ?? null

type FillIn = Pick<SpanBatch, 'traceAttributes' | 'staged' | 'runItems'>
const rewrite = createRewrite<SpanBatch, keyof FillIn, 'spanCount' | 'writeMode'>(
  spanBatchSchema,
  ['traceAttributes', 'staged', 'runItems'],
  ['spanCount', 'writeMode'],
)

export interface FilledBatch {
  readonly value: Buffer
  readonly spanCount: number
  readonly writeMode: WriteMode | null
}

/**
 * Replaces a record's fill-in and origin. Returns the changed record, its number of spans and its write mode. The result equals decoding,
 * changing and encoding the record, but no objects or texts are created for the other fields. `room` is used as in `encodeSpanBatch`.
 * Throws UndecodableRecord.
 */
export function fillSpanBatch(bytes: Uint8Array, fillIn: FillIn, room?: Buffer): FilledBatch {
  const rewritten = rewrite(bytes, fillIn, room)
  if (rewritten !== null) {
    const { spanCount, writeMode = null } = rewritten.told
    return { value: rewritten.bytes, spanCount, writeMode }
  }
  const batch = decodeSpanBatch(bytes)
  return { value: encodeSpanBatch({ ...batch, ...fillIn }, room), spanCount: batch.spanCount, writeMode: batch.writeMode ?? null }
}

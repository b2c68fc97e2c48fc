// The record of spans.direct, spans.staging, spans.filled and spans.overflow: an envelope around the client's OTLP bytes (architecture §4).
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Accepted } from './accepted.ts'
import { spanBatchHistory } from './avro/history.ts'
import { createPeek, createRecordCodec, createRewrite } from './avro/record-codec.ts'
import { spanBatchSchema } from './avro/records.ts'
import { type RunItemFill, runItemBytes } from './run-item-fill.ts'
import { fillBytes, type TraceAttributes, withoutNulls } from './trace-attributes.ts'

export type ContentEncoding = 'identity' | 'gzip' | 'zstd'

/**
 * The position of the staged record from which the propagator made this record. The rows of a span batch have the time `timestampMs` plus
 * `generation` microseconds (`rowTimeUs`), so that the rows of a repair replace the earlier rows.
 */
export interface StagedOrigin {
  readonly partition: number
  readonly offset: number
  /** Append time of the staged record on the staging topic. */
  readonly timestampMs: number
  /** Number of earlier publications of these spans. */
  readonly generation: number
}

export interface SpanBatch extends Accepted {
  /** The header x-svc-ingestion-version; null if the request has none. */
  readonly ingestionVersion: number | null
  readonly contentEncoding: ContentEncoding
  /** Bytes after decompression. All size limits apply to these bytes, in the gateway and in readers. */
  readonly decodedBytes: number
  readonly spanCount: number
  /**
   * Size of the spans' rows in bytes, without the values that the propagator fills in. The size is computed from the lengths of the values.
   * Each row repeats the resource and the scope, so their bytes count once per row. Null or absent if an older gateway wrote the record.
   */
  readonly rowBytes?: number | null
  /**
   * Units of work that the mapping of the spans takes (`createWorkMeter` in libs/otlp). Null or absent if an older gateway wrote the
   * record; 0 if the request was too small to count.
   */
  readonly work?: number | null
  /** ExportTraceServiceRequest, compressed according to contentEncoding. */
  readonly payload: Uint8Array
  /** Attributes of the trace, which the propagator has added. Null in records that the propagator did not publish. */
  readonly traceAttributes: TraceAttributes | null
  /** Present only in a filled record. */
  readonly staged?: StagedOrigin | null
  /** Present only in a filled record whose spans have run items. */
  readonly runItems?: readonly RunItemFill[] | null
}

/**
 * Returns the time for the columns event_ts, created_at and updated_at of a record's rows, in microseconds. This is the time at which the
 * log first appended the spans. For a filled record, the function returns the append time of the staging record, plus 1 µs per generation.
 * A repair or replay therefore replaces the record's earlier rows, but not rows of spans that were sent later.
 */
export const rowTimeUs = ({ staged }: Pick<SpanBatch, 'staged'>, appendedMs: number): number =>
  staged ? staged.timestampMs * 1000 + staged.generation : appendedMs * 1000

/**
 * Older gateways wrote records without `rowBytes`. For such a record, the bytes of the rows are estimated as the decoded bytes times this
 * factor. A record contains a resource once for many spans, but the row of each span repeats the resource. Without this estimate, a chunk
 * could therefore become arbitrarily large.
 */
const assumedRatio = 4

/**
 * Returns the size of a record's rows in bytes, including the values that the propagator adds to each row. The writer limits its chunks by
 * this size.
 */
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
 * Encodes a record, and copies the payload once. If `room` is large enough, the record is written to the start of `room`, and the result is
 * a view of these bytes.
 */
export const encodeSpanBatch = (batch: SpanBatch, room?: Buffer): Buffer => codec.encode(batch, room)

/** `payload` is a view of `bytes`. Throws UndecodableRecord. */
export function decodeSpanBatch(bytes: Uint8Array): SpanBatch {
  const batch = codec.decode(bytes)
  return batch.traceAttributes === null ? batch : { ...batch, traceAttributes: withoutNulls({ ...batch.traceAttributes }) }
}

const peekMode = createPeek<SpanBatch, 'writeMode'>(spanBatchSchema, spanBatchHistory, 'writeMode')

/** Reads only the write mode, for consumers that skip most records. Returns null if the record has no mode. Throws UndecodableRecord. */
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
 * Replaces some fields of a record by the values in `fillIn`. Also returns the record's number of spans and its write mode. The result has
 * the same bytes as if the record were decoded, changed and encoded again. But this function creates no objects or texts for unchanged
 * fields. If `room` is large enough, the result is a view of the start of `room`. Throws UndecodableRecord.
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

// The record of spans.direct, spans.staging, spans.filled and spans.overflow: an envelope around the client's own OTLP bytes (architecture §4).
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Accepted } from './accepted.ts'
import { spanBatchHistory } from './avro/history.ts'
import { createPeek, createRecordCodec, createRewrite } from './avro/record-codec.ts'
import { spanBatchSchema } from './avro/records.ts'
import { type RunItemFill, runItemBytes } from './run-item-fill.ts'
import { fillBytes, type TraceAttributes, withoutNulls } from './trace-attributes.ts'

export type ContentEncoding = 'identity' | 'gzip' | 'zstd'

/** Where a filled record's spans lay first. The time of their rows is `timestampMs`, plus `generation` in microseconds: a repair wins over what it repairs. */
export interface StagedOrigin {
  readonly partition: number
  readonly offset: number
  /** Append time of the staging record. */
  readonly timestampMs: number
  /** How often these spans were published before; 0 in the first publication. */
  readonly generation: number
}

export interface SpanBatch extends Accepted {
  /** Value of x-svc-ingestion-version; null when the request had none. */
  readonly ingestionVersion: number | null
  readonly contentEncoding: ContentEncoding
  /** Bytes of the payload after decompression. All limits count these, and are enforced again on reading. */
  readonly decodedBytes: number
  readonly spanCount: number
  /**
   * Bytes of the rows that the spans become, by their lengths: each row repeats its resource and scope. Without the fill-in; null or absent in
   * records of gateways that did not count it.
   */
  readonly rowBytes?: number | null
  /**
   * Units of work that mapping the spans takes, as `createWorkMeter` (libs/otlp) counts them. Null or absent in records of gateways that did not
   * say it; 0 where the request was too small to be counted.
   */
  readonly work?: number | null
  /** ExportTraceServiceRequest, compressed as contentEncoding says. */
  readonly payload: Uint8Array
  /** The propagator's fill-in; null on every other way. */
  readonly traceAttributes: TraceAttributes | null
  /** Of a filled record; null or absent on every other way. */
  readonly staged?: StagedOrigin | null
  /** Of a filled record: the run items that its spans belong to; null or absent: none, and on every other way. */
  readonly runItems?: readonly RunItemFill[] | null
}

/**
 * event_ts, created_at and updated_at of the rows of a record, in microseconds: when its spans were first on the log. A filled record keeps the
 * time of its staging record, so that a repair or replay replaces rows and never wins over spans that came later.
 */
export const rowTimeUs = ({ staged }: Pick<SpanBatch, 'staged'>, appendedMs: number): number =>
  staged ? staged.timestampMs * 1000 + staged.generation : appendedMs * 1000

/** Older gateways did not count: a multiple of what they counted, so that a large resource above many spans does not make a chunk without end. */
const assumedRatio = 4

/** Bytes of the rows that a record becomes, the fill-in on each of them included. Chunks are cut by it. */
export const rowBytesOfRecord = ({
  rowBytes,
  decodedBytes,
  spanCount,
  traceAttributes,
  runItems,
}: Pick<SpanBatch, 'rowBytes' | 'decodedBytes' | 'spanCount' | 'traceAttributes' | 'runItems'>): number =>
  (rowBytes ?? assumedRatio * decodedBytes) + spanCount * fillBytes(traceAttributes) + runItemBytes(runItems, spanCount)

const codec = createRecordCodec<SpanBatch>(spanBatchSchema, spanBatchHistory)

/** Avro single-object encoding. The payload is copied once, into the result: a view of the start of `room` where that is large enough. */
export const encodeSpanBatch = (batch: SpanBatch, room?: Buffer): Buffer => codec.encode(batch, room)

/** `payload` is a view of `bytes`, never a copy. Throws UndecodableRecord. */
export function decodeSpanBatch(bytes: Uint8Array): SpanBatch {
  const batch = codec.decode(bytes)
  return batch.traceAttributes === null ? batch : { ...batch, traceAttributes: withoutNulls({ ...batch.traceAttributes }) }
}

const peekMode = createPeek<SpanBatch, 'writeMode'>(spanBatchSchema, spanBatchHistory, 'writeMode')

/**
 * The mode in which a record was accepted, by its envelope alone: for who passes most records over. Null: it
 * does not say. Throws UndecodableRecord.
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
 * The record with this fill-in and origin instead of its own, with how many spans it has and in which mode it
 * was accepted. The same bytes as decoding, changing and encoding it give, without an object or a text of the
 * rest. `room` as of `encodeSpanBatch`. Throws UndecodableRecord.
 */
export function fillSpanBatch(bytes: Uint8Array, fillIn: FillIn, room?: Buffer): FilledBatch {
  const rewritten = rewrite(bytes, fillIn, room)
  if (rewritten !== null) {
    const { spanCount, writeMode = null } = rewritten.told
    return { value: rewritten.bytes, spanCount, writeMode }
  }
  // Of an older version.
  const batch = decodeSpanBatch(bytes)
  return { value: encodeSpanBatch({ ...batch, ...fillIn }, room), spanCount: batch.spanCount, writeMode: batch.writeMode ?? null }
}

// A record of spans.staging to what its spans say about their trace. On the way of every staged span: nothing
// of a row is built for it.
import type { ByteSource } from '@svc-server/column-store/native'
import { createBrandNames } from '@svc-server/schema/brand'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import { vocabulary } from '../dialects/registry.ts'
import { decodeRecord, defaultMaxDecodedBytes, type RecordRejectReason } from '../span-view/decode-record.ts'
import { KeyTable } from '../span-view/key-table.ts'
import { createSpanWalk } from '../span-view/record-spans.ts'
import { SpanReader } from '../span-view/span-reader.ts'
import { CandidatesOfSpans } from './candidates-of-spans.ts'

export interface TraceReaderOptions {
  /** Decoded bytes a record may have. */
  readonly maxDecodedBytes?: number
  /** Months before its receipt that a span may have started; as the writer's. */
  readonly maxAgeMonths?: number
  /** Bytes of rows that a record may become; as the writer's. */
  readonly maxRowBytes?: number
  /** Units of work that a record may take; as the writer’s. */
  readonly maxWork?: number
  /** Brands whose names are read as ours. */
  readonly brandAliases?: readonly string[]
}

export type TraceReading =
  | {
      readonly ok: true
      readonly projectId: string
      /** All spans of the record. */
      readonly spans: number
      /** Of these, spans that the writer will dead-letter. They say nothing. */
      readonly invalid: number
      readonly candidates: TraceCandidates
      /** Values and tags that were left out: too long, or too many. They stay on their own spans. */
      readonly cut: number
    }
  | { readonly ok: false; readonly reason: RecordRejectReason; readonly message: string; readonly projectId: string | null }

export interface TraceReader {
  /** `value`: an encoded SpanBatch. Never throws for what it contains. */
  read(value: Uint8Array): TraceReading
}

const nothing: ByteSource = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)) }

export function createTraceReader(options: TraceReaderOptions = {}): TraceReader {
  const { maxDecodedBytes = defaultMaxDecodedBytes, brandAliases } = options
  const table = new KeyTable(vocabulary, createBrandNames(brandAliases))
  const span = new SpanReader(table)
  const strongest = new CandidatesOfSpans(table.brand)
  const walkSpans = createSpanWalk(span, options)
  let invalid = 0
  const visitor = {
    row: () => strongest.add(span),
    rejected: () => {
      invalid++
    },
  }

  return {
    read(value) {
      const decoded = decodeRecord(value, maxDecodedBytes)
      if (!decoded.ok) return decoded
      if (table.trim()) span.attributes.reset()
      const { batch, source } = decoded
      strongest.clear()
      invalid = 0
      const receivedUs = batch.receivedAtMs * 1000
      const spans = walkSpans({ batch, source, project: nothing, fill: null, provenance: '', rowTimeUs: 0, receivedUs }, visitor)
      const candidates = strongest.candidates(source.bytes)
      return { ok: true, projectId: batch.projectId, spans, invalid, candidates, cut: strongest.cut }
    },
  }
}

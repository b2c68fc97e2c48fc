// Reads what the spans of a staged record (topic spans.staging) state about their trace. The propagator reads every staged span, so the
// reader must be fast and builds no rows.
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import type { RecordRejectReason } from '../span-view/decode-record.ts'
import { CandidatesOfSpans } from './candidates-of-spans.ts'
import { createRecordWalk, type RecordWalkOptions } from './record-walk.ts'

export type TraceReaderOptions = RecordWalkOptions

export type TraceReading =
  | {
      readonly ok: true
      readonly projectId: string
      readonly spans: number
      /** Number of spans that the writer will dead-letter. The reader ignores the values of these spans. */
      readonly invalid: number
      readonly candidates: TraceCandidates
      /** Number of values and tags that stay only on their own spans: they are too long or too many to be copied to other spans. */
      readonly cut: number
    }
  | { readonly ok: false; readonly reason: RecordRejectReason; readonly message: string; readonly projectId: string | null }

export interface TraceReader {
  /** Reads an encoded SpanBatch. If the record is invalid, the result states this. */
  read(value: Uint8Array): TraceReading
}

export function createTraceReader(options: TraceReaderOptions = {}): TraceReader {
  const { span, brand, walk } = createRecordWalk(options)
  const strongest = new CandidatesOfSpans(brand)
  let invalid = 0
  const visitor = {
    row: () => strongest.add(span),
    rejected: () => {
      invalid++
    },
  }

  return {
    read(value) {
      const read = walk(value, () => {
        strongest.clear()
        invalid = 0
        return visitor
      })
      if (!read.ok) return read
      const { batch, source, spans } = read
      const candidates = strongest.candidates(source.bytes)
      return { ok: true, projectId: batch.projectId, spans, invalid, candidates, cut: strongest.cut }
    },
  }
}

// A record of spans.staging to what its spans say about their trace. On the way of every staged span: nothing
// of a row is built for it.
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import type { RecordRejectReason } from '../span-view/decode-record.ts'
import { CandidatesOfSpans } from './candidates-of-spans.ts'
import { createRecordWalk, type RecordWalkOptions } from './record-walk.ts'

export type TraceReaderOptions = RecordWalkOptions

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

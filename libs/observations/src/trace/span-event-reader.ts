// Creates one event for each span of a record. The event contains what the span states about its trace. The merger creates rows of the v3
// traces table from these events.
import type { ByteSource } from '@svc-server/column-store/native'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import type { RecordRejectReason } from '../span-view/decode-record.ts'
import { createRecordWalk, type RecordWalkOptions } from './record-walk.ts'
import { SpanEvents, type SpanTraceEvent, speaksOfTrace } from './span-event.ts'

export type SpanEventReaderOptions = RecordWalkOptions

export type SpanEventReading =
  | { readonly ok: true; readonly batch: SpanBatch; readonly spans: number }
  | { readonly ok: false; readonly reason: RecordRejectReason; readonly message: string; readonly projectId: string | null }

export interface SpanEventReader {
  /** Calls `visit` for each span that becomes a row. `value` is an encoded SpanBatch. The function does not throw for an invalid record. */
  read(value: Uint8Array, visit: (traceId: string, event: SpanTraceEvent, receivedAtMs: number) => void): SpanEventReading
}

export function createSpanEventReader(options: SpanEventReaderOptions = {}): SpanEventReader {
  const { span, brand, walk } = createRecordWalk(options)
  const events = new SpanEvents(brand)
  const traceIds = createHexNames()

  return {
    read(value, visit) {
      const read = walk(value, ({ batch, source }) => ({
        row: () =>
          visit(traceIds(source, span.traceId), speaksOfTrace(span) ? events.full(span) : events.shallow(span), batch.receivedAtMs),
        rejected: () => {},
      }))
      if (!read.ok) return read
      span.losses.take()
      return { ok: true, batch: read.batch, spans: read.spans }
    },
  }
}

const traceIdBytes = 16

/** Spans of a trace are mostly adjacent, so the last trace id is cached as text. */
function createHexNames() {
  let last = ''
  const bytes = Buffer.alloc(traceIdBytes)
  return (source: ByteSource, at: number): string => {
    if (last === '' || bytes.compare(source.bytes, at, at + traceIdBytes) !== 0) {
      bytes.set(source.bytes.subarray(at, at + traceIdBytes))
      last = bytes.toString('hex')
    }
    return last
  }
}

// A record of a span topic to the events of its spans about their traces: for who merges the old table of
// traces. Nothing of a row is built.
import type { ByteSource } from '@svc-server/column-store/native'
import { createBrandNames } from '@svc-server/schema/brand'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import { vocabulary } from '../dialects/registry.ts'
import { decodeRecord, defaultMaxDecodedBytes, type RecordRejectReason } from '../span-view/decode-record.ts'
import { KeyTable } from '../span-view/key-table.ts'
import { createSpanWalk } from '../span-view/record-spans.ts'
import { SpanReader } from '../span-view/span-reader.ts'
import { SpanEvents, type SpanTraceEvent, speaksOfTrace } from './span-event.ts'
import type { TraceReaderOptions } from './trace-reader.ts'

export type SpanEventReaderOptions = TraceReaderOptions

export type SpanEventReading =
  | { readonly ok: true; readonly batch: SpanBatch; readonly spans: number }
  | { readonly ok: false; readonly reason: RecordRejectReason; readonly message: string; readonly projectId: string | null }

export interface SpanEventReader {
  /**
   * `value`: an encoded SpanBatch. `visit` is called for every span that becomes a row. Never throws for what
   * it contains.
   */
  read(value: Uint8Array, visit: (traceId: string, event: SpanTraceEvent, receivedAtMs: number) => void): SpanEventReading
}

const nothing: ByteSource = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)) }

export function createSpanEventReader(options: TraceReaderOptions = {}): SpanEventReader {
  const { maxDecodedBytes = defaultMaxDecodedBytes, brandAliases } = options
  const table = new KeyTable(vocabulary, createBrandNames(brandAliases))
  const span = new SpanReader(table)
  const events = new SpanEvents(table.brand)
  const walkSpans = createSpanWalk(span, options)
  const traceIds = createHexNames()

  return {
    read(value, visit) {
      const decoded = decodeRecord(value, maxDecodedBytes)
      if (!decoded.ok) return decoded
      if (table.trim()) span.attributes.reset()
      const { batch, source } = decoded
      const receivedUs = batch.receivedAtMs * 1000
      const spans = walkSpans(
        { batch, source, project: nothing, fill: null, provenance: '', rowTimeUs: 0, receivedUs },
        {
          row: () =>
            visit(traceIds(source, span.traceId), speaksOfTrace(span) ? events.full(span) : events.shallow(span), batch.receivedAtMs),
          rejected: () => {},
        },
      )
      span.losses.take()
      return { ok: true, batch, spans }
    },
  }
}

const traceIdBytes = 16

/** Spans of a trace mostly follow one another: its id is made a text once. */
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

import { isAppError } from '@svc-server/errors'
import { inflateBodySync } from '@svc-server/otlp/inflate'
import { forEachSpan } from '@svc-server/otlp/span-cursor'
import { microsOf, WireReader, wireType } from '@svc-server/otlp/wire'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { SpanOnLog } from './rows.ts'

const traceIdField = 1
const spanIdField = 2
const startTimeField = 7

/** Returns the spans in wire order, or null if the record or its payload is unreadable. */
export function spanKeysOf(value: Uint8Array, maxBytes: number): readonly SpanOnLog[] | null {
  try {
    const { projectId, payload, contentEncoding } = decodeSpanBatch(value)
    const keys: SpanOnLog[] = []
    const reader = new WireReader()
    forEachSpan(inflateBodySync(payload, contentEncoding, maxBytes), ({ bytes, spanStart, spanEnd }) => {
      const ids = { traceId: '', spanId: '' }
      let startTimeUs = 0
      reader.open(bytes, spanStart, spanEnd)
      // A span counts even if its bytes after the ids are malformed.
      while (reader.advance() === 1) {
        if (reader.field === startTimeField && reader.type === wireType.fixed64) {
          reader.fixed64()
          startTimeUs = microsOf(reader.low, reader.high)
        }
        if (reader.type !== wireType.length) continue
        const hex = () => Buffer.from(bytes.buffer, bytes.byteOffset + reader.start, reader.stop - reader.start).toString('hex')
        if (reader.field === traceIdField) ids.traceId = hex()
        else if (reader.field === spanIdField) ids.spanId = hex()
      }
      keys.push({ projectId, ...ids, startTimeUs })
    })
    return keys
  } catch (error) {
    if (error instanceof UndecodableRecord || isAppError(error)) return null
    throw error
  }
}

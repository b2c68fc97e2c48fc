// Decodes a log record to the bytes of its request. The decoder checks the gateway's limits again, and does not trust the size in the
// envelope.
import { type ByteSource, byteSource } from '@svc-server/column-store/native'
import { isAppError } from '@svc-server/errors'
import { type Allocate, inflateBodySync } from '@svc-server/otlp/inflate'
import { maxRejectedSpans } from '@svc-server/otlp/rejection'
import { forEachSpan } from '@svc-server/otlp/span-cursor'
import { decodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'

export type RecordRejectReason = 'record_undecodable' | 'payload_undecodable' | 'payload_too_large' | 'exception'

export type DecodedRecord =
  | { readonly ok: true; readonly batch: SpanBatch; readonly source: ByteSource }
  | { readonly ok: false; readonly reason: RecordRejectReason; readonly message: string; readonly projectId: string | null }

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const defaultMaxDecodedBytes = 64 << 20

/**
 * Decodes a record, and checks that its structure is readable. This function blocks its thread, so it must not run in a thread that serves
 * requests. `allocate` provides the memory for decompressed bytes.
 */
export function decodeRecord(value: Uint8Array, maxDecodedBytes: number, allocate?: Allocate): DecodedRecord {
  let batch: SpanBatch
  try {
    batch = decodeSpanBatch(value)
  } catch (error) {
    return { ok: false, reason: 'record_undecodable', message: messageOf(error), projectId: null }
  }
  const rejected = (reason: RecordRejectReason, message: string): DecodedRecord => ({
    ok: false,
    reason,
    message,
    projectId: batch.projectId,
  })
  const tooLarge = () => rejected('payload_too_large', `The payload has more than ${maxDecodedBytes} bytes after decompression.`)
  if (batch.decodedBytes > maxDecodedBytes || batch.payload.length > maxDecodedBytes) return tooLarge()
  let source: ByteSource
  try {
    source = byteSource(inflateBodySync(batch.payload, batch.contentEncoding, maxDecodedBytes, batch.decodedBytes, allocate))
  } catch (error) {
    if (!isAppError(error)) throw error
    return error.code === 'body_too_large' ? tooLarge() : rejected('payload_undecodable', error.message)
  }
  const fault = envelopeFault(source.bytes)
  return fault === undefined ? { ok: true, batch, source } : rejected('payload_undecodable', fault)
}

/**
 * Frees the decompressed bytes of a record. The caller must not read these bytes afterwards. Without this function, V8 would collect
 * garbage often, because the bodies of a chunk occupy a hundred megabytes outside of its heap.
 */
export function giveBack(batch: SpanBatch, source: ByteSource): void {
  // If the record is uncompressed, `source` shares the record's own memory, which must not be freed here.
  if (batch.contentEncoding === 'identity') return
  const { buffer } = source.bytes
  // A small result shares a buffer of `poolSize` bytes with other data. Such a buffer must not be freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

/** Every span that can be stored has at least this size: a trace id and a span id, each with a tag and a length. */
const smallestSpan = 28

/**
 * Returns the reason to reject the whole record, or undefined. The check runs before any span is read, so that no span of a rejected
 * record becomes a row.
 */
function envelopeFault(bytes: Uint8Array): string | undefined {
  try {
    const spans = forEachSpan(bytes, () => {})
    // Rejecting very many empty spans one by one would exhaust memory.
    const bad = spans - Math.floor(bytes.length / smallestSpan)
    return bad > maxRejectedSpans ? `At least ${bad} of ${spans} spans have fewer bytes than a valid span.` : undefined
  } catch (error) {
    if (isAppError(error)) return error.message
    throw error
  }
}

// From a record of the log to the bytes of its request. Limits count decoded bytes and are enforced here
// again, whatever the envelope says.
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
 * Opens one record: afterwards its envelope can be walked without a fault. Synchronous: this runs where
 * nothing else waits. `allocate`: of what is inflated.
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
 * Frees at once what was inflated; afterwards nothing of the record may be read. Memory outside of V8's heap makes it collect, and
 * a chunk has a hundred megabytes of bodies.
 */
export function giveBack(batch: SpanBatch, source: ByteSource): void {
  // Plain bytes are the record's own.
  if (batch.contentEncoding === 'identity') return
  const { buffer } = source.bytes
  // Small results share a slab with what others have, and that has exactly this size.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

/** Ids with their tags and lengths: no span that is stored is smaller. */
const smallestSpan = 28

/**
 * Why the request cannot be taken at all; found before its first span, because a record is taken whole or not
 * at all.
 */
function envelopeFault(bytes: Uint8Array): string | undefined {
  try {
    const spans = forEachSpan(bytes, () => {})
    // As many rejections as empty spans fit into a request would be an attack on memory.
    const bad = spans - Math.floor(bytes.length / smallestSpan)
    return bad > maxRejectedSpans ? `At least ${bad} of ${spans} spans are too small to be spans.` : undefined
  } catch (error) {
    if (isAppError(error)) return error.message
    throw error
  }
}

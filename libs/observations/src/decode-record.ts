// From a record of the log to the bytes of its request. Limits count decoded bytes and are enforced here again, whatever the envelope says.
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { decodeSpanBatch, type SpanBatch } from '@svc-server/schema'

export type RecordRejectReason = 'record_undecodable' | 'payload_undecodable' | 'payload_too_large'

export type DecodedRecord =
  | { readonly ok: true; readonly batch: SpanBatch; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: RecordRejectReason; readonly message: string; readonly projectId: string | null }

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Opens one record. Synchronous: this runs where nothing else waits. */
export function decodeRecord(value: Uint8Array, maxDecodedBytes: number): DecodedRecord {
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
  try {
    return { ok: true, batch, bytes: inflate(batch, maxDecodedBytes) }
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge()
    return rejected('payload_undecodable', `The payload is no ${batch.contentEncoding}: ${messageOf(error)}`)
  }
}

const smallestChunk = 1024

function inflate({ contentEncoding, payload, decodedBytes }: SpanBatch, maxOutputLength: number): Uint8Array {
  if (contentEncoding === 'identity') return payload
  // The envelope knows the size: one output buffer of it instead of many small ones that are put together again.
  const chunkSize = Math.max(smallestChunk, Math.min(decodedBytes + 1, maxOutputLength))
  return contentEncoding === 'gzip'
    ? gunzipSync(payload, { maxOutputLength, chunkSize })
    : zstdDecompressSync(payload, { maxOutputLength, chunkSize })
}

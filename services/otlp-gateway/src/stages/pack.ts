// Puts request bytes into records that the log takes: compressed where the gateway had to touch them, and never above the record limit.
import { constants, zstdCompressSync } from 'node:zlib'
import { keepValidSpans, type RejectedSpan, type ScanOptions, scanTraceRequest, splitRequest, type TraceScan } from '@svc-server/otlp'
import { type ContentEncoding, encodeSpanBatch, type SpanBatch } from '@svc-server/schema'
import { free } from '../free.ts'

/** What all records of a request have in common. */
export type Envelope = Pick<SpanBatch, 'projectId' | 'apiKey' | 'sdkName' | 'sdkVersion' | 'ingestionVersion' | 'receivedAtMs' | 'ingestId'>

export interface PackedRecord {
  readonly key: Uint8Array | null
  readonly value: Uint8Array
}

export interface PackerOptions {
  readonly envelope: Envelope
  /** Key and value of a record. */
  readonly maxRecordBytes: number
  readonly scan: ScanOptions
}

/** The longest key (project/trace) and what the log adds around a record. */
const recordOverhead = 1024
/** Below this a zstd frame saves nothing worth a call. */
const tinyBytes = 512
const zstd1 = { [constants.ZSTD_c_compressionLevel]: 1 }

export type Packer = ReturnType<typeof createPacker>

export function createPacker({ envelope, maxRecordBytes, scan: scanOptions }: PackerOptions) {
  const record = (
    key: Uint8Array | null,
    contentEncoding: ContentEncoding,
    payload: Uint8Array,
    decodedBytes: number,
    spanCount: number,
  ) => ({
    key,
    value: encodeSpanBatch({ ...envelope, contentEncoding, decodedBytes, spanCount, payload, traceAttributes: null }),
  })
  const empty = record(null, 'identity', new Uint8Array(), 0, 0)
  const maxPayloadBytes = maxRecordBytes - empty.value.length - recordOverhead

  /** A payload as the client sent it; the caller has checked that it fits. */
  const asItCame = (encoding: ContentEncoding, payload: Uint8Array, decodedBytes: number, spanCount: number): PackedRecord =>
    record(null, encoding, payload, decodedBytes, spanCount)

  /**
   * One record for the whole request where its compressed form fits, else one for every part of at most the record limit before compression, and
   * one for every larger span. Spans that fit no record have been taken out by `rejectUnstorable`.
   */
  function pack(key: Uint8Array | null, bytes: Uint8Array, spanCount: number): PackedRecord[] {
    const whole = packWhole(key, bytes, spanCount)
    if (whole !== undefined) return [whole]
    const scan = scanTraceRequest(bytes, scanOptions)
    const { parts, rejected: large } = splitRequest(bytes, scan, maxPayloadBytes)
    const alone = large.map(({ index }) => ({ payload: onlySpan(bytes, scan, index), spanCount: 1 }))
    return [...parts, ...alone].map(part => {
      const packed = packWhole(key, part.payload, part.spanCount)
      if (packed === undefined) throw new Error(`A part of ${part.payload.length} bytes fits no record of ${maxRecordBytes}`)
      return packed
    })
  }

  /** Undefined when even the compressed form is above the limit. */
  function packWhole(key: Uint8Array | null, bytes: Uint8Array, spanCount: number): PackedRecord | undefined {
    const { encoding, payload } = compress(bytes)
    const packed = payload.length <= maxPayloadBytes ? record(key, encoding, payload, bytes.length, spanCount) : undefined
    if (payload !== bytes) free(payload)
    return packed
  }

  /** The scan with those spans rejected whose own record, compressed, would be above the limit. */
  function rejectUnstorable(bytes: Uint8Array, scan: TraceScan): TraceScan {
    if (bytes.length <= maxPayloadBytes) return scan
    const unstorable = splitRequest(bytes, scan, maxPayloadBytes).rejected.flatMap(({ index }): RejectedSpan[] => {
      const alone = onlySpan(bytes, scan, index)
      const stored = compress(alone).payload.length
      if (stored <= maxPayloadBytes) return []
      const message = `The span takes ${alone.length} bytes with its resource and scope, ${stored} compressed; a record holds ${maxPayloadBytes}.`
      return [{ index, reason: 'too_large', message }]
    })
    if (unstorable.length === 0) return scan
    return { ...scan, rejected: [...scan.rejected, ...unstorable].sort((a, b) => a.index - b.index) }
  }

  return { maxPayloadBytes, asItCame, pack, rejectUnstorable }
}

function compress(bytes: Uint8Array): { readonly encoding: ContentEncoding; readonly payload: Uint8Array } {
  if (bytes.length < tinyBytes) return { encoding: 'identity', payload: bytes }
  // One output chunk instead of many of 16 KiB that are joined: a tenth of the time.
  const payload = zstdCompressSync(bytes, { params: zstd1, chunkSize: Math.max(1024, Math.min(bytes.length >> 1, 1024 * 1024)) })
  return payload.length < bytes.length ? { encoding: 'zstd', payload } : { encoding: 'identity', payload: bytes }
}

/** A request of one span. Made for the few spans that are larger than a record, so the list of the others may be long. */
function onlySpan(bytes: Uint8Array, scan: TraceScan, only: number): Uint8Array {
  const others: RejectedSpan[] = []
  for (let index = 0; index < scan.spanCount; index++) if (index !== only) others.push({ index, reason: 'too_large', message: '' })
  return keepValidSpans(bytes, { ...scan, rejected: others })
}

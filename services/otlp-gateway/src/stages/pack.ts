// Packs request bytes into records that do not exceed the log's record limit.
import { constants, zstdCompressSync } from 'node:zlib'
import { free } from '@svc-server/http/bodies'
import { type RequestSlice, singleSpans, spansLargerThan, splitRequest } from '@svc-server/otlp/cut'
import { createKeptZstdEncoder } from '@svc-server/otlp/kept-zstd'
import type { RejectedSpan } from '@svc-server/otlp/rejection'
import { scanTraceRequest, type TraceScan } from '@svc-server/otlp/scan'
import { type ContentEncoding, encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { maxRecordRowBytes, maxStagedSpans } from '@svc-server/schema/topics'

export type Envelope = Pick<
  SpanBatch,
  'projectId' | 'apiKey' | 'sdkName' | 'sdkVersion' | 'ingestionVersion' | 'receivedAtMs' | 'ingestId' | 'writeMode'
>

export interface PackedRecord {
  readonly key: Uint8Array | null
  readonly value: Uint8Array
}

export interface PackerOptions {
  readonly envelope: Envelope
  /** Maximum bytes of the key and the value of a record together. */
  readonly maxRecordBytes: number
}

type Contents = { readonly decodedBytes: number } & Omit<RequestSlice, 'payload'>

/** Space for the longest key (project/trace) and for the fields that the log adds. */
const recordOverhead = 1024
/** A payload with fewer bytes is not compressed, because compression is not worth the CPU time. */
const tinyBytes = 512
const zstd1 = { [constants.ZSTD_c_compressionLevel]: 1 }
const keptZstd = createKeptZstdEncoder(zstd1)

export type Packer = ReturnType<typeof createPacker>

export function createPacker({ envelope, maxRecordBytes }: PackerOptions) {
  const record = (
    key: Uint8Array | null,
    contentEncoding: ContentEncoding,
    payload: Uint8Array,
    { decodedBytes, spanCount, rowBytes, work }: Contents,
  ): PackedRecord => ({
    key,
    value: encodeSpanBatch({ ...envelope, contentEncoding, decodedBytes, spanCount, rowBytes, work, payload, traceAttributes: null }),
  })
  const largest = Number.MAX_SAFE_INTEGER
  const empty = record(null, 'identity', new Uint8Array(), {
    decodedBytes: largest,
    spanCount: 0x7fffffff,
    rowBytes: largest,
    work: largest,
  })
  const maxPayloadBytes = maxRecordBytes - empty.value.length - recordOverhead

  /** Packs the whole request as the client sent it. Returns undefined if spans were rejected or the request is too large for one record. */
  function asItCame(encoding: ContentEncoding, payload: Uint8Array, decodedBytes: number, scan: TraceScan): PackedRecord | undefined {
    const { spanCount, rejected, rowBytes, work } = scan
    if (rejected.length > 0 || payload.length > maxPayloadBytes || (rowBytes > maxRecordRowBytes && spanCount > 1)) return undefined
    return record(null, encoding, payload, { decodedBytes, spanCount, rowBytes, work })
  }

  /**
   * Packs the accepted spans into as few records as the limits of rows and of compressed bytes allow. `rejectUnstorable` has already
   * removed the spans that are too large for a record.
   */
  function pack(bytes: Uint8Array, scan: TraceScan): PackedRecord[] {
    const { parts } = splitRequest(bytes, scan, { maxRowBytes: maxRecordRowBytes })
    return parts.flatMap(part => packPart(null, part, scan))
  }

  function packTrace(key: Uint8Array, slice: RequestSlice, scan: TraceScan): PackedRecord[] {
    const { payload, spanCount, rowBytes } = slice
    if (spanCount <= maxStagedSpans && (rowBytes <= maxRecordRowBytes || spanCount === 1)) return packPart(key, slice, scan)
    const limits = { maxRowBytes: maxRecordRowBytes, maxSpans: maxStagedSpans }
    return splitRequest(payload, rescan(payload, scan), limits).parts.flatMap(part => packPart(key, part, scan))
  }

  /**
   * If the compressed part fits into one record, returns this record. Otherwise, cuts the part into groups of spans that fit into a record
   * even without compression. A span that is too large for a group gets its own record.
   */
  function packPart(key: Uint8Array | null, part: RequestSlice, scan: TraceScan): PackedRecord[] {
    const whole = packWhole(key, part)
    if (whole !== undefined) return [whole]
    const inner = rescan(part.payload, scan)
    const { parts, large } = splitRequest(part.payload, inner, { maxBytes: maxPayloadBytes })
    return [...parts, ...singleSpans(part.payload, inner, large)].map(smaller => {
      const packed = packWhole(key, smaller)
      if (packed === undefined)
        throw new Error(`A part of ${smaller.payload.length} bytes does not fit into a record of ${maxRecordBytes} bytes`)
      return packed
    })
  }

  /** Returns undefined if even the compressed part exceeds the record limit. */
  function packWhole(key: Uint8Array | null, part: RequestSlice): PackedRecord | undefined {
    const { encoding, payload, isOwn } = compress(part.payload)
    const fits = payload.length <= maxPayloadBytes
    const packed = fits ? record(key, encoding, payload, { ...part, decodedBytes: part.payload.length }) : undefined
    if (isOwn) free(payload)
    return packed
  }

  function rejectUnstorable(bytes: Uint8Array, scan: TraceScan): TraceScan {
    if (bytes.length <= maxPayloadBytes) return scan
    const large = spansLargerThan(bytes, scan, maxPayloadBytes)
    const unstorable: RejectedSpan[] = []
    let { rowBytes } = scan
    let at = 0
    for (const alone of singleSpans(bytes, scan, large)) {
      const index = large[at++]!
      const compressed = compress(alone.payload).payload
      if (compressed.length <= maxPayloadBytes) continue
      const message = `The span has ${alone.payload.length} bytes with its resource and scope, ${compressed.length} compressed; a record can contain at most ${maxPayloadBytes}.`
      unstorable.push({ index, reason: 'too_large', message })
      rowBytes -= alone.rowBytes
    }
    if (unstorable.length === 0) return scan
    return { ...scan, rowBytes, rejected: [...scan.rejected, ...unstorable].sort((a, b) => a.index - b.index) }
  }

  return { asItCame, pack, packTrace, rejectUnstorable }
}

/** Scans a part with the request's options. The part has only valid spans, and no more rows than the request, so no span is rejected. */
const rescan = (bytes: Uint8Array, { options }: TraceScan): TraceScan => scanTraceRequest(bytes, options)

interface Compressed {
  readonly encoding: ContentEncoding
  /** The next call overwrites the returned payload, unless the payload is the uncompressed input. */
  readonly payload: Uint8Array
  /** True if the caller must free the payload. */
  readonly isOwn: boolean
}

function compress(bytes: Uint8Array): Compressed {
  const asItIs = { encoding: 'identity', payload: bytes, isOwn: false } as const
  if (bytes.length < tinyBytes) return asItIs
  const kept = keptZstd.deflate(bytes)
  // One large output chunk is ten times faster than joining many chunks of 16 KiB.
  const chunkSize = Math.max(1024, Math.min(bytes.length >> 1, 1024 * 1024))
  const payload = kept ?? zstdCompressSync(bytes, { params: zstd1, chunkSize })
  return payload.length < bytes.length ? { encoding: 'zstd', payload, isOwn: kept === undefined } : asItIs
}

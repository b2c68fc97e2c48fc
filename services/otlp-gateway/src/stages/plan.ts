// Turns a request body into records. Runs on the event loop for small bodies and in a worker thread for large ones. Creates no object per
// span, and leaves a valid body unchanged (architecture §4).

import { free } from '@svc-server/http/bodies'
import type { Route } from '@svc-server/modes/route'
import type { PartialSuccess } from '@svc-server/otlp/answer'
import { sliceByTrace } from '@svc-server/otlp/cut'
import { inflateBodySync } from '@svc-server/otlp/inflate'
import type { JsonWarning } from '@svc-server/otlp/json/scalars'
import { transcodeJsonRequest } from '@svc-server/otlp/json/transcode'
import type { ContentEncoding as Compression, OtlpFormat } from '@svc-server/otlp/media-type'
import { spanTraceIdAt } from '@svc-server/otlp/positions'
import { describeRejections, type RejectedSpan } from '@svc-server/otlp/rejection'
import { scanTraceRequest, type TraceScan } from '@svc-server/otlp/scan'
import { unknownFields } from '@svc-server/otlp/unknown-fields'
import { countedRecordBytes } from '@svc-server/otlp/work'
import type { ContentEncoding } from '@svc-server/schema/span-batch'
import { traceKeyOf } from '@svc-server/schema/trace-key'
import { loadOf } from '../load.ts'
import { createPacker, type Envelope, type PackedRecord, type Packer } from './pack.ts'

export interface ExportJob {
  readonly body: Uint8Array
  readonly format: OtlpFormat
  readonly compression: Compression
  readonly route: Route
  readonly envelope: Envelope
  readonly maxDecodedBytes: number
  readonly maxRecordBytes: number
  readonly maxAgeMonths: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly maxTraces: number
  /** Maximum bytes of rows that this thread sorts by trace; by default, unlimited. */
  readonly maxSortedRowBytes?: number
}

/** Thrown for a valid request that would block this thread for too long. */
export class BelongsInThread extends Error {
  override readonly name = 'BelongsInThread'
}

export interface ExportPlan {
  readonly records: readonly PackedRecord[]
  readonly load: number
  readonly spans: number
  readonly acceptedSpans: number
  readonly firstTraceId: string | undefined
  readonly rejected: Readonly<Record<string, number>>
  /** The notice that a 200 response contains: rejected spans, or a warning. */
  readonly notice: PartialSuccess | undefined
  readonly decodedBytes: number
}

/** Does not change the body. Throws `body_undecodable`, `body_too_large` and BelongsInThread. */
export function planExport(job: ExportJob): ExportPlan {
  const decoded = inflateBodySync(job.body, job.compression, job.maxDecodedBytes)
  const warnings = new Map<JsonWarning, number>()
  const onWarning = (warning: JsonWarning) => void warnings.set(warning, (warnings.get(warning) ?? 0) + 1)
  const unknown = new Set<string>()
  const onUnknown = (name: string) => void (unknown.size < mostNamed && unknown.add(name))
  let bytes = decoded
  try {
    if (job.format === 'json') bytes = transcodeJsonRequest(decoded, { onWarning, onUnknown })
    const decodedBytes = decoded.length
    const { scan, records } = recordsOf(job, bytes)
    return {
      records,
      load: loadOf({ ...scan, countedBytes: Math.min(scan.countedBytes, records.length * countedRecordBytes) }),
      spans: scan.spanCount,
      acceptedSpans: scan.spanCount - scan.rejected.length,
      firstTraceId: firstTraceId(bytes, scan),
      rejected: countByReason(scan.rejected),
      notice: noticeOf(scan, warnings, scan.spanCount > 0 ? [] : job.format === 'json' ? [...unknown] : unknownFields(bytes)),
      decodedBytes,
    }
  } finally {
    if (bytes !== decoded) free(bytes)
    if (decoded !== job.body) free(decoded)
  }
}

function recordsOf(job: ExportJob, bytes: Uint8Array): { readonly scan: TraceScan; readonly records: readonly PackedRecord[] } {
  const { envelope, maxRecordBytes, maxAgeMonths, maxRowBytes, maxWork, body, route } = job
  const packer = createPacker({ envelope, maxRecordBytes })
  const scanned = scanTraceRequest(bytes, { receivedAtMs: envelope.receivedAtMs, maxAgeMonths, maxRowBytes, maxWork })
  if (scanned.spanCount === scanned.rejected.length) return { scan: scanned, records: [] }
  const encoding = encodingAsItCame(job)
  const whole = encoding && packer.asItCame(encoding, body, bytes.length, scanned)
  if (whole) return { scan: scanned, records: [whole] }
  if (route === 'staging' && scanned.rowBytes > (job.maxSortedRowBytes ?? Number.POSITIVE_INFINITY)) throw new BelongsInThread()
  const scan = packer.rejectUnstorable(bytes, scanned)
  if (scan.spanCount === scan.rejected.length) return { scan, records: [] }
  if (route === 'staging') return { scan, records: stagedRecords(job, packer, bytes, scan) }
  return { scan, records: packer.pack(bytes, scan) }
}

/**
 * Returns the content encoding of the body if the record can contain the client's own bytes. Returns undefined if the gateway must sort or
 * transcode the body, or must compress it. Compression pays off, because a record is written, sent, stored and read several times.
 */
function encodingAsItCame({ compression, format, route }: ExportJob): ContentEncoding | undefined {
  const isCompact = compression === 'gzip' || compression === 'zstd'
  return route === 'direct' && format === 'protobuf' && isCompact ? compression : undefined
}

/** The key of each record is its trace, so that one partition has all spans of a trace. */
function stagedRecords({ envelope, maxTraces }: ExportJob, packer: Packer, bytes: Uint8Array, scan: TraceScan): readonly PackedRecord[] {
  const records: PackedRecord[] = []
  for (const [traceId, slice] of sliceByTrace(bytes, scan, maxTraces)) {
    const key = Buffer.from(traceKeyOf({ projectId: envelope.projectId, traceId }))
    for (const record of packer.packTrace(key, slice, scan)) records.push(record)
  }
  return records
}

function firstTraceId(bytes: Uint8Array, { spanCount, rejected, positions }: TraceScan): string | undefined {
  // `rejected` is sorted by index, so the first gap in it is the first accepted span.
  const gap = rejected.findIndex(({ index }, at) => index !== at)
  const first = gap === -1 ? rejected.length : gap
  if (first >= spanCount) return undefined
  const at = spanTraceIdAt(positions, first)
  return Buffer.from(bytes.subarray(at, at + 16)).toString('hex')
}

function countByReason(rejected: readonly RejectedSpan[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { reason } of rejected) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

const mostNamed = 3

const warningTexts: Readonly<Record<JsonWarning, string>> = {
  enum_name: 'an enum value is a name, but OTLP/JSON requires its number',
  time_invalid: 'a time is not a number of nanoseconds and is treated as missing',
  link_id_invalid: 'the id of a link is not hexadecimal or has the wrong length, so the link is stored without the id',
}

/** OTLP 1.11, "Partial Success": if rejected_spans is 0, the message is a warning. */
function noticeOf(
  { spanCount, rejected }: TraceScan,
  warnings: ReadonlyMap<JsonWarning, number>,
  unknown: readonly string[],
): PartialSuccess | undefined {
  const sentences = [...warnings].map(([warning, times]) => `Warning: ${warningTexts[warning]} (${times} times).`)
  if (unknown.length > 0) {
    const names = unknown.map(name => `"${name}"`).join(', ')
    sentences.push(
      `Nothing was stored: the request contains unknown members (${names}), and contains no spans in the known members of an ExportTraceServiceRequest.`,
    )
  }
  if (rejected.length > 0) sentences.unshift(describeRejections(spanCount, rejected))
  return sentences.length === 0 ? undefined : { rejectedSpans: rejected.length, message: sentences.join(' ') }
}

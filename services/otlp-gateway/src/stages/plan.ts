// From a request body to records, in one pure and synchronous step: the same function runs on the event loop for small bodies and in a
// worker thread for large ones. No object is made per span, and a valid body goes on as it came (architecture §4).
import type { Route } from '@svc-server/modes'
import {
  type ContentEncoding as Compression,
  describeRejections,
  inflateBodySync,
  keepValidSpans,
  type OtlpFormat,
  type RejectedSpan,
  scanTraceRequest,
  sliceByTrace,
  type TraceScan,
  transcodeJsonRequest,
} from '@svc-server/otlp'
import type { ContentEncoding } from '@svc-server/schema'
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
}

export interface RejectedSummary {
  readonly rejectedSpans: number
  readonly byReason: Readonly<Record<string, number>>
  /** English, for partial_success.error_message. */
  readonly message: string
}

export interface ExportPlan {
  readonly records: readonly PackedRecord[]
  readonly spans: number
  readonly acceptedSpans: number
  readonly rejected: RejectedSummary | undefined
  /** The body after decompression. */
  readonly decodedBytes: number
}

/** Throws `body_undecodable` and `body_too_large`. */
export function planExport(job: ExportJob): ExportPlan {
  const decoded = inflateBodySync(job.body, job.compression, job.maxDecodedBytes)
  const bytes = job.format === 'json' ? transcodeJsonRequest(decoded) : decoded
  const scanOptions = { receivedAtMs: job.envelope.receivedAtMs, maxAgeMonths: job.maxAgeMonths }
  const packer = createPacker({ envelope: job.envelope, maxRecordBytes: job.maxRecordBytes, scan: scanOptions })
  const scanned = scanTraceRequest(bytes, scanOptions)
  const untouched = storedAsItCame(job, scanned, packer.maxPayloadBytes)
  const scan = untouched ? scanned : packer.rejectUnstorable(bytes, scanned)
  const acceptedSpans = scan.spanCount - scan.rejected.length
  const records = () => {
    if (acceptedSpans === 0) return []
    if (untouched) return [packer.asItCame(untouched, job.body, bytes.length, acceptedSpans)]
    if (job.route === 'staging') return stagedRecords(job.envelope.projectId, packer, bytes, scan)
    return packer.pack(null, keepValidSpans(bytes, scan), acceptedSpans)
  }
  return {
    records: records(),
    spans: scan.spanCount,
    acceptedSpans,
    rejected: scan.rejected.length === 0 ? undefined : summaryOf(scan.spanCount, scan.rejected),
    decodedBytes: decoded.length,
  }
}

/** The encoding of the record when the body goes on the direct path as the client sent it; undefined when it has to be cut or transcoded. */
function storedAsItCame(
  { body, compression, format, route }: ExportJob,
  scan: TraceScan,
  maxPayloadBytes: number,
): ContentEncoding | undefined {
  if (route !== 'direct' || format !== 'protobuf' || compression === 'deflate') return undefined
  return scan.rejected.length === 0 && body.length <= maxPayloadBytes ? compression : undefined
}

/** Keyed by trace, so that the propagator meets all spans of a trace in one partition. */
function stagedRecords(projectId: string, packer: Packer, bytes: Uint8Array, scan: TraceScan): readonly PackedRecord[] {
  const records: PackedRecord[] = []
  for (const [traceId, { payload, spanCount }] of sliceByTrace(bytes, scan)) {
    records.push(...packer.pack(Buffer.from(`${projectId}/${traceId}`), payload, spanCount))
  }
  return records
}

function summaryOf(spanCount: number, rejected: readonly RejectedSpan[]): RejectedSummary {
  const byReason: Record<string, number> = {}
  for (const { reason } of rejected) byReason[reason] = (byReason[reason] ?? 0) + 1
  return { rejectedSpans: rejected.length, byReason, message: describeRejections(spanCount, rejected) }
}

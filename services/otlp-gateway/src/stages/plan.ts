// From a request body to records, in one pure and synchronous step: the same function runs on the event loop for small bodies and in a
// worker thread for large ones. No object is made per span, and a valid body goes on as it came (architecture §4).
import type { Route } from '@svc-server/modes'
import {
  type ContentEncoding as Compression,
  describeRejections,
  inflateBodySync,
  type JsonWarning,
  keepValidSpans,
  type OtlpFormat,
  type PartialSuccess,
  type RejectedSpan,
  scanTraceRequest,
  sliceByTrace,
  type TraceScan,
  transcodeJsonRequest,
} from '@svc-server/otlp'
import type { ContentEncoding } from '@svc-server/schema'
import { free } from '../free.ts'
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

export interface ExportPlan {
  readonly records: readonly PackedRecord[]
  readonly spans: number
  readonly acceptedSpans: number
  /** Rejected spans by reason. */
  readonly rejected: Readonly<Record<string, number>>
  /** What the answer says beyond 200: rejected spans, or with none of them a warning. Undefined: nothing. */
  readonly notice: PartialSuccess | undefined
  /** The body after decompression. */
  readonly decodedBytes: number
}

/** The caller's body is left as it is; what is made on the way is freed. Throws `body_undecodable` and `body_too_large`. */
export function planExport(job: ExportJob): ExportPlan {
  const decoded = inflateBodySync(job.body, job.compression, job.maxDecodedBytes)
  const warnings = new Map<JsonWarning, number>()
  const onWarning = (warning: JsonWarning) => void warnings.set(warning, (warnings.get(warning) ?? 0) + 1)
  let bytes = decoded
  try {
    if (job.format === 'json') bytes = transcodeJsonRequest(decoded, { onWarning })
    const decodedBytes = decoded.length
    const { scan, records } = recordsOf(job, bytes)
    return {
      records,
      spans: scan.spanCount,
      acceptedSpans: scan.spanCount - scan.rejected.length,
      rejected: countByReason(scan.rejected),
      notice: noticeOf(scan, warnings),
      decodedBytes,
    }
  } finally {
    if (bytes !== decoded) free(bytes)
    if (decoded !== job.body) free(decoded)
  }
}

function recordsOf(job: ExportJob, bytes: Uint8Array): { readonly scan: TraceScan; readonly records: readonly PackedRecord[] } {
  const { envelope, maxRecordBytes, maxAgeMonths, body, route } = job
  const scanOptions = { receivedAtMs: envelope.receivedAtMs, maxAgeMonths }
  const packer = createPacker({ envelope, maxRecordBytes, scan: scanOptions })
  const scanned = scanTraceRequest(bytes, scanOptions)
  if (scanned.spanCount === scanned.rejected.length) return { scan: scanned, records: [] }
  const encoding = storedAsItCame(job, scanned, packer.maxPayloadBytes)
  if (encoding) return { scan: scanned, records: [packer.asItCame(encoding, body, bytes.length, scanned.spanCount)] }
  const scan = packer.rejectUnstorable(bytes, scanned)
  const acceptedSpans = scan.spanCount - scan.rejected.length
  if (acceptedSpans === 0) return { scan, records: [] }
  if (route === 'staging') return { scan, records: stagedRecords(envelope.projectId, packer, bytes, scan) }
  return { scan, records: packer.pack(null, keepValidSpans(bytes, scan), acceptedSpans) }
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

function countByReason(rejected: readonly RejectedSpan[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { reason } of rejected) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

const warningTexts: Readonly<Record<JsonWarning, string>> = {
  enum_name: 'an enum is given by its name; OTLP/JSON has numbers there',
  time_invalid: 'a time is no number of nanoseconds; it counts as missing',
  link_id_invalid: 'the id of a link is not hexadecimal or has the wrong length; the link is stored without it',
}

/** OTLP 1.11, "Partial Success": with rejected_spans 0 the message is a warning. */
function noticeOf({ spanCount, rejected }: TraceScan, warnings: ReadonlyMap<JsonWarning, number>): PartialSuccess | undefined {
  const sentences = [...warnings].map(([warning, times]) => `Warning: ${warningTexts[warning]} (${times} times).`)
  if (rejected.length > 0) sentences.unshift(describeRejections(spanCount, rejected))
  return sentences.length === 0 ? undefined : { rejectedSpans: rejected.length, message: sentences.join(' ') }
}

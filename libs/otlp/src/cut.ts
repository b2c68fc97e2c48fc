// Cuts of a scanned request: without its bad spans, at a size limit, by trace.
import { createAssembler, type Picked, requireBoundedTotal } from './assemble.ts'
import { spanTraceIdAt } from './positions.ts'
import type { RejectedSpan } from './rejection.ts'
import type { TraceScan } from './scan.ts'

/** A request of its own (ExportTraceServiceRequest bytes) with some spans of another. */
export interface RequestSlice {
  readonly payload: Uint8Array
  readonly spanCount: number
}

export interface SplitRequest {
  readonly parts: readonly RequestSlice[]
  /** Spans that are larger than a part alone with their resource and scope: reason `too_large`, ascending by index. */
  readonly rejected: readonly RejectedSpan[]
}

/** The request without the spans that the scan rejected; the same bytes when there are none. Fields of the request itself unknown to OTLP are not kept. */
export const keepValidSpans = (bytes: Uint8Array, scan: TraceScan): Uint8Array => {
  if (scan.rejected.length === 0) return bytes
  const picked = accepted(scan)
  return createAssembler(bytes, scan.positions).assemble(picked, 0, picked.length)
}

/**
 * The accepted spans as requests of at most `maxBytes` (and `maxSpans`), cut between spans, in their order.
 * @throws AppError body_too_large when the parts together would be a multiple of the request.
 */
export const splitRequest = (bytes: Uint8Array, scan: TraceScan, maxBytes: number, maxSpans = Number.POSITIVE_INFINITY): SplitRequest => {
  if (bytes.length <= maxBytes && scan.spanCount <= maxSpans && scan.rejected.length === 0)
    return { parts: scan.spanCount === 0 ? [] : [{ payload: bytes, spanCount: scan.spanCount }], rejected: [] }
  const { cost, assemble } = createAssembler(bytes, scan.positions)
  const picked = accepted(scan)
  const rejected: RejectedSpan[] = []
  const cuts: number[] = []
  let fitting = 0
  let size = 0
  let total = 0
  for (const index of picked) {
    const alone = cost(index, -1)
    if (alone > maxBytes) {
      rejected.push(tooLarge(index, alone, maxBytes))
      continue
    }
    const begun = cuts.at(-1)
    let added = begun === undefined ? alone : cost(index, picked[fitting - 1]!)
    if (begun === undefined || size + added > maxBytes || fitting - begun >= maxSpans) {
      cuts.push(fitting)
      added = alone
      size = 0
    }
    size += added
    total += added
    // Those that fit move to the front, so that one list serves all parts.
    picked[fitting++] = index
  }
  requireBoundedTotal(bytes, total, cuts.length)
  const parts = cuts.map((from, part) => {
    const to = cuts[part + 1] ?? fitting
    return { payload: assemble(picked, from, to), spanCount: to - from }
  })
  return { parts, rejected }
}

/**
 * The accepted spans by trace id (lower-case hex), traces in the order of their first span.
 * @throws AppError body_too_large when the slices together would be a multiple of the request.
 */
export const sliceByTrace = (bytes: Uint8Array, scan: TraceScan): Map<string, RequestSlice> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const valid = accepted(scan)
  const { traceOf, traces } = groupByTrace(buffer, scan, valid)
  const ends = new Uint32Array(traces.length + 1)
  for (const trace of traceOf) ends[trace + 1]!++
  for (let trace = 0; trace < traces.length; trace++) ends[trace + 1]! += ends[trace]!
  const next = ends.slice()
  const picked = new Uint32Array(valid.length)
  for (let i = 0; i < valid.length; i++) picked[next[traceOf[i]!]!++] = valid[i]!

  const { cost, assemble } = createAssembler(bytes, scan.positions)
  let total = 0
  for (let i = 0, trace = 0; i < picked.length; i++) {
    if (i === ends[trace + 1]) trace++
    total += cost(picked[i]!, i === ends[trace] ? -1 : picked[i - 1]!)
  }
  requireBoundedTotal(bytes, total, traces.length)
  return new Map(
    traces.map((traceId, trace) => {
      const from = ends[trace]!
      const to = ends[trace + 1]!
      return [traceId, { payload: assemble(picked, from, to), spanCount: to - from }]
    }),
  )
}

/** Ordinal of the trace of every valid span, and the ids of the traces in hex. */
const groupByTrace = (buffer: Buffer, { positions }: TraceScan, valid: Picked): { traceOf: Uint32Array; traces: string[] } => {
  const traceOf = new Uint32Array(valid.length)
  const traces: string[] = []
  const known = new Map<string, number>()
  for (let i = 0; i < valid.length; i++) {
    const at = spanTraceIdAt(positions, valid[i]!)
    const before = i === 0 ? -1 : spanTraceIdAt(positions, valid[i - 1]!)
    // Exporters send the spans of a trace together: mostly no key is needed.
    if (before >= 0 && sameId(buffer, before, at)) {
      traceOf[i] = traceOf[i - 1]!
      continue
    }
    const key = buffer.toString('latin1', at, at + 16)
    let trace = known.get(key)
    if (trace === undefined) {
      trace = traces.length
      known.set(key, trace)
      traces.push(buffer.toString('hex', at, at + 16))
    }
    traceOf[i] = trace
  }
  return { traceOf, traces }
}

const sameId = (buffer: Buffer, a: number, b: number): boolean => {
  for (let i = 15; i >= 0; i--) if (buffer[a + i] !== buffer[b + i]) return false
  return true
}

const accepted = ({ spanCount, rejected }: TraceScan): Picked => {
  const picked = new Uint32Array(spanCount - rejected.length)
  let next = 0
  for (let index = 0, at = 0; index < spanCount; index++) {
    if (rejected[at]?.index === index) at++
    else picked[next++] = index
  }
  return picked
}

const tooLarge = (index: number, size: number, maxBytes: number): RejectedSpan => ({
  index,
  reason: 'too_large',
  message: `The span takes ${size} bytes with its resource and scope; at most ${maxBytes} are stored.`,
})

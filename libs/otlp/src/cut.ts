// Divides a scanned request. The functions drop invalid spans, split the request into parts within limits, or group the spans by trace.
// Every part repeats its resource. `singleSpans` and `sliceByTrace` create parts on demand, so that memory need not hold all the parts.
import { createAssembler, type Picked, requireBoundedTotal } from './assemble.ts'
import {
  resourceWork,
  scopeResource,
  scopeSharedBytes,
  scopeWork,
  spanEnd,
  spanScope,
  spanTagAt,
  spanTraceIdAt,
  spanWork,
} from './positions.ts'
import { rowBytesOf, tooManyTraces } from './row-budget.ts'
import type { TraceScan } from './scan.ts'

/** Some of the spans of the original request. `payload` contains these spans as a complete, valid ExportTraceServiceRequest. */
export interface RequestSlice {
  readonly payload: Uint8Array
  readonly spanCount: number
  /** Size of the rows that the spans become. */
  readonly rowBytes: number
  /** Units of work, with each resource and scope counted once. 0 if the request was too small to be measured. */
  readonly work: number
}

/** Limits of one part. */
export interface PartLimits {
  readonly maxBytes?: number
  readonly maxSpans?: number
  /** A single span can exceed this limit, because a row cannot be split. */
  readonly maxRowBytes?: number
}

export interface SplitRequest {
  readonly parts: readonly RequestSlice[]
  /**
   * Ascending indexes of the spans that are too large for any part: such a span exceeds the limit together with its resource and scope.
   */
  readonly large: readonly number[]
}

/**
 * Returns `bytes` itself if no span was rejected. Otherwise, returns a new request without the rejected spans, and without the unknown
 * fields of the request message.
 */
export const keepValidSpans = (bytes: Uint8Array, scan: TraceScan): Uint8Array => {
  if (scan.rejected.length === 0) return bytes
  const picked = accepted(scan)
  return createAssembler(bytes, scan.positions).assemble(picked, 0, picked.length)
}

/** Yields a separate request for each of the spans at `indexes`, and creates each request only on demand. */
export function* singleSpans(bytes: Uint8Array, { positions }: TraceScan, indexes: Iterable<number>): Generator<RequestSlice> {
  const { assemble } = createAssembler(bytes, positions)
  for (const index of indexes) {
    const picked = Uint32Array.of(index)
    yield {
      payload: assemble(picked, 0, 1),
      spanCount: 1,
      rowBytes: rowBytesAt(bytes, positions, index),
      work: workOf(positions, picked, 0, 1),
    }
  }
}

/** Finds accepted spans that exceed `maxBytes` even in a request of their own. Their resource and scope are included in the size. */
export const spansLargerThan = (bytes: Uint8Array, scan: TraceScan, maxBytes: number): readonly number[] => {
  const { cost } = createAssembler(bytes, scan.positions)
  const large: number[] = []
  for (const index of accepted(scan)) if (cost(index, -1) > maxBytes) large.push(index)
  return large
}

/**
 * Splits the accepted spans, in order, into requests within the limits.
 * @throws AppError body_too_large if the parts together would be larger than the request and larger than the scan's `maxRowBytes`.
 */
export const splitRequest = (bytes: Uint8Array, scan: TraceScan, limits: PartLimits): SplitRequest => {
  const infinite = Number.POSITIVE_INFINITY
  const { maxBytes = infinite, maxSpans = infinite, maxRowBytes = infinite } = limits
  const { positions, spanCount, rowBytes, work } = scan
  if (scan.rejected.length === 0 && bytes.length <= maxBytes && spanCount <= maxSpans && (rowBytes <= maxRowBytes || spanCount === 1))
    return { parts: spanCount === 0 ? [] : [{ payload: bytes, spanCount, rowBytes, work }], large: [] }
  const { cost, assemble } = createAssembler(bytes, positions)
  const picked = accepted(scan)
  const large: number[] = []
  const cuts: { readonly from: number; rowBytes: number }[] = []
  let fitting = 0
  let size = 0
  let total = 0
  for (const index of picked) {
    const alone = cost(index, -1)
    if (alone > maxBytes) {
      large.push(index)
      continue
    }
    const row = rowBytesAt(bytes, positions, index)
    let begun = cuts.at(-1)
    let added = begun === undefined ? alone : cost(index, picked[fitting - 1]!)
    if (begun === undefined || size + added > maxBytes || fitting - begun.from >= maxSpans || begun.rowBytes + row > maxRowBytes) {
      begun = { from: fitting, rowBytes: 0 }
      cuts.push(begun)
      added = alone
      size = 0
    }
    size += added
    total += added
    begun.rowBytes += row
    // A span fits into a part unless the span is in `large`. The loop moves the indexes of all fitting spans to the front of the list
    // `picked`, and so needs no second list.
    picked[fitting++] = index
  }
  requireBoundedTotal(bytes, total, cuts.length, scan.options.maxRowBytes)
  const parts = cuts.map(({ from, rowBytes }, part) => {
    const to = cuts[part + 1]?.from ?? fitting
    return { payload: assemble(picked, from, to), spanCount: to - from, rowBytes, work: workOf(positions, picked, from, to) }
  })
  return { parts, large }
}

/**
 * Groups the accepted spans by trace id (lowercase hex), in the order of their first spans. Slices are created on demand, because together
 * they can be several times as large as the request.
 * @throws AppError body_too_large before any slice is created, if there are more than `maxTraces` traces, or if all slices together would
 * be larger than the request and larger than the scan's `maxRowBytes`.
 */
export const sliceByTrace = (
  bytes: Uint8Array,
  scan: TraceScan,
  maxTraces = Number.POSITIVE_INFINITY,
): Iterable<readonly [traceId: string, slice: RequestSlice]> => {
  const { positions } = scan
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const valid = accepted(scan)
  const { traceOf, traces } = groupByTrace(buffer, scan, valid, maxTraces)
  const ends = new Uint32Array(traces.length + 1)
  for (const trace of traceOf) ends[trace + 1]!++
  for (let trace = 0; trace < traces.length; trace++) ends[trace + 1]! += ends[trace]!
  const next = ends.slice()
  const picked = new Uint32Array(valid.length)
  for (let i = 0; i < valid.length; i++) picked[next[traceOf[i]!]!++] = valid[i]!

  const { cost, assemble } = createAssembler(bytes, positions)
  let total = 0
  for (let i = 0, trace = 0; i < picked.length; i++) {
    if (i === ends[trace + 1]) trace++
    total += cost(picked[i]!, i === ends[trace] ? -1 : picked[i - 1]!)
  }
  requireBoundedTotal(bytes, total, traces.length, scan.options.maxRowBytes)
  return {
    *[Symbol.iterator]() {
      for (const [trace, traceId] of traces.entries()) {
        const from = ends[trace]!
        const to = ends[trace + 1]!
        let rowBytes = 0
        for (let i = from; i < to; i++) rowBytes += rowBytesAt(bytes, positions, picked[i]!)
        const work = workOf(positions, picked, from, to)
        yield [traceId, { payload: assemble(picked, from, to), spanCount: to - from, rowBytes, work }] as const
      }
    },
  }
}

/** Returns the trace ids in hex (`traces`), and for every valid span the index of its trace in this list (`traceOf`). */
const groupByTrace = (
  buffer: Buffer,
  { positions }: TraceScan,
  valid: Picked,
  maxTraces: number,
): { traceOf: Uint32Array; traces: string[] } => {
  const traceOf = new Uint32Array(valid.length)
  const traces: string[] = []
  const known = new Map<string, number>()
  for (let i = 0; i < valid.length; i++) {
    const at = spanTraceIdAt(positions, valid[i]!)
    const before = i === 0 ? -1 : spanTraceIdAt(positions, valid[i - 1]!)
    // Exporters send the spans of a trace together, so most spans need no lookup.
    if (before >= 0 && sameId(buffer, before, at)) {
      traceOf[i] = traceOf[i - 1]!
      continue
    }
    const key = buffer.toString('latin1', at, at + 16)
    let trace = known.get(key)
    if (trace === undefined) {
      if (traces.length >= maxTraces) throw tooManyTraces(maxTraces)
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

/** Returns the units of work for mapping the picked spans [from, to). This is the `work` of a TraceScan of only these spans. */
const workOf = (positions: TraceScan['positions'], picked: Picked, from: number, to: number): number => {
  let work = 0
  let scope = -1
  let resource = -1
  for (let i = from; i < to; i++) {
    const index = picked[i]!
    work += spanWork(positions, index)
    if (spanScope(positions, index) === scope) continue
    scope = spanScope(positions, index)
    work += scopeWork(positions, scope)
    if (scopeResource(positions, scope) === resource) continue
    resource = scopeResource(positions, scope)
    work += resourceWork(positions, resource)
  }
  return work
}

/** Returns the same row size as the scan. A span's size excludes its tag and length. */
const rowBytesAt = (bytes: Uint8Array, positions: TraceScan['positions'], index: number): number => {
  const tagAt = spanTagAt(positions, index)
  const end = spanEnd(positions, index)
  // A valid length can be padded, so it can have more bytes than its value needs. The code therefore skips the length byte by byte.
  let at = tagAt
  while (bytes[at]! >= 0x80) at++
  at++
  while (bytes[at]! >= 0x80) at++
  return rowBytesOf(end - at - 1, scopeSharedBytes(positions, spanScope(positions, index)))
}

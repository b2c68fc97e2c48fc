// Scans a request. The gateway makes no other pass over the request. The scan counts the spans, rejects spans that cannot be stored, and
// records the positions of the accepted spans. It allocates no object per span.
import {
  attributeShape,
  createNestingCheck,
  eventShape,
  isPlainAttribute,
  linkShape,
  resourceShape,
  scopeShape,
  statusShape,
} from './nesting.ts'
import { createPositions, type Positions } from './positions.ts'
import {
  maxRejectedSpans,
  type RejectedSpan,
  type RejectReason,
  readRejectionNote,
  rejectionNoteField,
  tooManyRejected,
} from './rejection.ts'
import { defaultMaxRowBytes, maxEnvelopes, rowBytesOf, tooManyRowBytes } from './row-budget.ts'
import { SpanCursor } from './span-cursor.ts'
import { sharedBytesOf } from './stored-bytes.ts'
import { inWindow, outsideWindow, type TimeWindow, timeWindow } from './time-window.ts'
import { isZero, malformed, WireReader, wireType } from './wire.ts'
import { createWorkMeter, defaultMaxWork, tooMuchWork } from './work.ts'

export interface ScanOptions {
  readonly receivedAtMs: number
  /** Maximum calendar months between a span's start and `receivedAtMs`. The service's default is 36 (architecture §5). */
  readonly maxAgeMonths: number
  /** Maximum bytes of the request's rows; 256 MiB by default. */
  readonly maxRowBytes?: number
  /** Maximum units of work for the mapping; 3 million by default. */
  readonly maxWork?: number
}

export interface TraceScan {
  /** Number of all spans, including rejected ones. */
  readonly spanCount: number
  /** Ascending by index. */
  readonly rejected: readonly RejectedSpan[]
  /** The code that divides the request needs these positions. */
  readonly positions: Positions
  /** Size of the accepted spans' rows. */
  readonly rowBytes: number
  /** Units of work for mapping all resources, all scopes, and the accepted spans. */
  readonly work: number
  /** Bytes of spans whose tokens the server must count (see `WorkMeter`). */
  readonly countedBytes: number
  /** The options of this scan. If the request is divided, each part has the same limits as the whole request. */
  readonly options: ScanOptions & { readonly maxRowBytes: number; readonly maxWork: number }
}

/**
 * Scans an ExportTraceServiceRequest. The scan rejects a span if one of its ids is absent, is zero or has the wrong length. It rejects a
 * span if its time is outside of the time window (`timeWindow`), or if its content is malformed or too deeply nested. It also rejects a
 * span that alone exceeds the row limit or the work limit. A span without a start gets its end as the start. If the end is also missing,
 * the span starts at the time of receipt.
 * @throws AppError body_undecodable when the envelope (request, resources, scopes) is malformed, because span positions are then
 *   unreliable.
 * @throws AppError body_too_large as soon as the rows exceed `maxRowBytes`, the work exceeds `maxWork`, or there are too many resources and
 *   scopes.
 */
export const scanTraceRequest = (
  bytes: Uint8Array,
  { receivedAtMs, maxAgeMonths, maxRowBytes = defaultMaxRowBytes, maxWork = defaultMaxWork }: ScanOptions,
): TraceScan => {
  const window = timeWindow(receivedAtMs, maxAgeMonths)
  const rejected: RejectedSpan[] = []
  const positions = createPositions()
  const cursor = new SpanCursor(bytes, maxEnvelopes)
  const checkNesting = createNestingCheck()
  const span = new SpanFacts(bytes, checkNesting)
  let resourceIndex = -1
  let scopeIndex = -1
  let sharedBytes = 0
  let totalRowBytes = 0
  const meter = createWorkMeter(bytes)
  let totalWork = 0
  let work = 0
  while (cursor.next()) {
    if (cursor.resourceIndex !== resourceIndex) {
      resourceIndex = cursor.resourceIndex
      requireReadable(cursor.resourceStart, cursor.resourceEnd, resourceShape, 'resource')
      const resourceWork = meter.resource(cursor.resourceStart, cursor.resourceEnd)
      totalWork += resourceWork
      positions.addResource(cursor.resourceSpansStart, cursor.resourceSpansEnd, resourceWork)
    }
    if (cursor.scopeIndex !== scopeIndex) {
      scopeIndex = cursor.scopeIndex
      sharedBytes = sharedBytesOf(cursor)
      requireReadable(cursor.scopeStart, cursor.scopeEnd, scopeShape, 'instrumentation scope')
      const scopeWork = meter.scope(cursor.scopeStart, cursor.scopeEnd)
      totalWork += scopeWork
      positions.addScope(cursor.scopeSpansStart, cursor.scopeSpansEnd, sharedBytes, scopeWork)
    }
    const rowBytes = rowBytesOf(cursor.spanEnd - cursor.spanStart, sharedBytes)
    if (span.read(cursor.spanStart, cursor.spanEnd, window) && mayBeStored(rowBytes)) {
      totalRowBytes += rowBytes
      totalWork += work
      if (totalRowBytes > maxRowBytes) throw tooManyRowBytes(cursor.index + 1, sharedBytes, maxRowBytes)
      if (totalWork > maxWork) throw tooMuchWork(cursor.index + 1, maxWork)
    } else {
      if (rejected.length === maxRejectedSpans) throw tooManyRejected(rejected[0]!)
      rejected.push({ index: cursor.index, reason: span.reason, message: span.message })
    }
    positions.addSpan(cursor.spanTagAt, cursor.spanEnd, span.traceIdAt, work)
  }
  return {
    spanCount: cursor.index + 1,
    rejected,
    positions,
    rowBytes: totalRowBytes,
    work: totalWork,
    countedBytes: meter.countedBytes,
    options: { receivedAtMs, maxAgeMonths, maxRowBytes, maxWork },
  }

  /** Call this only for a valid span. Returns false if the span alone exceeds a request's limit for row bytes or for work. */
  function mayBeStored(rowBytes: number): boolean {
    if (rowBytes > maxRowBytes) return span.rejectSize(rowBytes, maxRowBytes)
    work = meter.span(cursor.spanStart, cursor.spanEnd)
    return work <= maxWork || span.rejectWork(work, maxWork)
  }

  function requireReadable(start: number, end: number, shape: typeof resourceShape, name: string): void {
    if (!checkNesting.check(bytes, start, end, shape)) throw malformed(`${name}: ${checkNesting.what}`, checkNesting.position)
  }
}

/** The facts of one span. One object is reused for all spans of a request. */
class SpanFacts {
  traceIdAt = 0
  reason: RejectReason = 'malformed'
  message = ''
  readonly #bytes: Uint8Array
  readonly #nesting: ReturnType<typeof createNestingCheck>
  readonly #reader = new WireReader()

  constructor(bytes: Uint8Array, nesting: ReturnType<typeof createNestingCheck>) {
    this.#bytes = bytes
    this.#nesting = nesting
  }

  /** If the span must be rejected, returns false, and sets `reason` and `message`. */
  read(from: number, to: number, window: TimeWindow): boolean {
    const bytes = this.#bytes
    const nesting = this.#nesting
    const reader = this.#reader.open(bytes, from, to)
    let traceId = -1
    let traceIdLength = 0
    let spanId = -1
    let spanIdLength = 0
    let parentLength = 0
    let startLow = 0
    let startHigh = 0
    let endLow = 0
    let endHigh = 0
    let likeLog = false
    let sound = true
    let step = reader.advance()
    for (; step === 1; step = reader.advance()) {
      const { field, type, start, stop } = reader
      if (type === wireType.length) {
        if (field === 9) sound = sound && (isPlainAttribute(bytes, start, stop) || nesting.check(bytes, start, stop, attributeShape))
        else if (field === 1) {
          traceId = start
          traceIdLength = stop - start
        } else if (field === 2) {
          spanId = start
          spanIdLength = stop - start
        } else if (field === 4) parentLength = stop - start
        else if (field === 11) sound = sound && nesting.check(bytes, start, stop, eventShape)
        else if (field === 13) sound = sound && nesting.check(bytes, start, stop, linkShape)
        else if (field === 15) sound = sound && nesting.check(bytes, start, stop, statusShape)
        else if (field === rejectionNoteField) {
          const note = readRejectionNote(bytes.subarray(start, stop))
          return this.#reject(note.reason, note.message)
        }
      } else if (type === wireType.fixed64) {
        if (field === 7) {
          reader.fixed64()
          startLow = reader.low
          startHigh = reader.high
        } else if (field === 8) {
          reader.fixed64()
          endLow = reader.low
          endHigh = reader.high
        } else if (field === 1 || field === 11) likeLog = true
      } else if (type === wireType.varint && field === 2) likeLog = true
    }
    this.traceIdAt = traceId
    if (step < 0) return this.#reject('malformed', `The span is malformed protobuf at byte ${reader.at}: ${reader.fault}.`)
    if (traceIdLength === 0) return this.#reject('trace_id_absent', likeLog ? logHint('trace') : 'The trace id is missing.')
    if (spanIdLength === 0) return this.#reject('span_id_absent', likeLog ? logHint('span') : 'The span id is missing.')
    if (traceIdLength !== 16) return this.#reject('trace_id_invalid', wrongLength('trace', bytes, traceId, traceIdLength, 16))
    if (spanIdLength !== 8) return this.#reject('span_id_invalid', wrongLength('span', bytes, spanId, spanIdLength, 8))
    if (isZero(bytes, traceId, traceId + 16)) return this.#reject('trace_id_zero', 'The trace id is all zero.')
    if (isZero(bytes, spanId, spanId + 8)) return this.#reject('span_id_zero', 'The span id is all zero.')
    if (parentLength !== 0 && parentLength !== 8)
      return this.#reject('parent_span_id_invalid', `The parent span id has ${parentLength} bytes instead of 8 (or none).`)
    if ((startLow | startHigh) !== 0) {
      if (!inWindow(window, startLow, startHigh))
        return this.#reject('start_time_range', outsideWindow('startTimeUnixNano', startLow, startHigh, window))
    } else if ((endLow | endHigh) !== 0 && !inWindow(window, endLow, endHigh))
      return this.#reject('end_time_range', `startTimeUnixNano is missing and ${outsideWindow('endTimeUnixNano', endLow, endHigh, window)}`)
    if (!sound) return this.#reject(nesting.fault, `The span's content is not readable at byte ${nesting.position}: ${nesting.what}.`)
    return true
  }

  rejectSize(rowBytes: number, maxRowBytes: number): false {
    return this.#reject(
      'too_large',
      `The span has ${rowBytes} bytes with its resource and scope; a row can have at most ${maxRowBytes} bytes.`,
    )
  }

  rejectWork(work: number, maxWork: number): false {
    const message = `The span needs ${work} units of work, but at most ${maxWork} are allowed. Each attribute, and each value in a list or in a JSON text, needs at least one unit of work.`
    return this.#reject('too_large', message)
  }

  #reject(reason: RejectReason, message: string): false {
    this.reason = reason
    this.message = message
    return false
  }
}

/** Logs and spans share field numbers, so exported logs look like spans without ids. */
const logHint = (id: string): string =>
  `The ${id} id is missing; this looks like a log record: logs belong to /v1/logs, this path accepts traces.`

const wrongLength = (id: string, bytes: Uint8Array, at: number, length: number, wanted: number): string => {
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, 32)).toString('hex')
  return `The ${id} id ${shown}${length > 32 ? '…' : ''} has ${length} bytes instead of ${wanted}.`
}

// Walks the spans of one record. Writer and propagator share this code, so they agree on which spans become rows.

import type { RejectReason } from '@svc-server/otlp/rejection'
import { defaultMaxRowBytes, rowBytesOf } from '@svc-server/otlp/row-budget'
import { SpanCursor } from '@svc-server/otlp/span-cursor'
import { sharedBytesOf } from '@svc-server/otlp/stored-bytes'
import { createWorkMeter, defaultMaxWork, recountedWorkBytes } from '@svc-server/otlp/work'
import { createMonthOf, monthNumber } from './months.ts'
import type { SpanReader } from './span-reader.ts'
import type { RecordContext } from './span-view.ts'

export interface SpanVisitor {
  /** Called for each span that becomes a row. `month` is YYYYMM. Until the next call, the `SpanReader` contains this span. */
  row(month: number, cursor: SpanCursor): void
  rejected(cursor: SpanCursor, reason: RejectReason, message: string): void
}

/**
 * Maximum months between the start of a span and its receipt. This number is the highest value that the gateway's setting
 * `SVC_SPAN_MAX_AGE_MONTHS` allows.
 */
const defaultMaxAgeMonths = 96

export interface SpanWalkLimits {
  readonly maxAgeMonths?: number
  /** Maximum bytes of rows. This maximum equals the gateway's limit for a request, so that readers accept what the gateway accepted. */
  readonly maxRowBytes?: number
  /** Maximum units of work of a record. Like `maxRowBytes`, this maximum equals the gateway's limit for a request. */
  readonly maxWork?: number
}

/**
 * True if the reader must measure the work of each span. Producers usually state the work in the record, so that the reader
 * need not measure it. Measuring a record takes more than a third of the time that encoding the record takes. The reader measures only two
 * kinds of records: large records that state no work, and records that state more work than allowed.
 */
const isMeasured = ({ batch, source }: RecordContext, maxWork: number): boolean =>
  batch.work == null ? source.bytes.length > recountedWorkBytes : batch.work > maxWork

/** Visits every span of a readable record in wire order. Returns the number of spans. */
export function createSpanWalk(span: SpanReader, limits: SpanWalkLimits): (context: RecordContext, visitor: SpanVisitor) => number {
  const { maxAgeMonths = defaultMaxAgeMonths, maxRowBytes = defaultMaxRowBytes, maxWork = defaultMaxWork } = limits
  const monthOf = createMonthOf()

  return (context, visitor) => {
    span.openRecord(context)
    const cursor = new SpanCursor(context.source.bytes)
    const receivedMonth = monthNumber(monthOf(context.receivedUs))
    const meter = isMeasured(context, maxWork) ? createWorkMeter(cursor.bytes) : null
    let work = 0
    let rowBytes = 0
    let sharedBytes = 0
    let resourceIndex = -1
    let scopeIndex = -1
    let ownersReadable = false
    while (cursor.next()) {
      const newResource = cursor.resourceIndex !== resourceIndex
      if (newResource || cursor.scopeIndex !== scopeIndex) {
        if (meter !== null) {
          if (newResource) work += meter.resource(cursor.resourceStart, cursor.resourceEnd)
          work += meter.scope(cursor.scopeStart, cursor.scopeEnd)
        }
        // An unreadable resource is read again for each of its scopes. Without `!ownersReadable`, `readOwners` would not read the
        // resource again for the next scope, and the spans of this scope would not be rejected.
        ownersReadable = work <= maxWork && span.readOwners(cursor, newResource || !ownersReadable)
        resourceIndex = cursor.resourceIndex
        scopeIndex = cursor.scopeIndex
        sharedBytes = sharedBytesOf(cursor)
      }
      // `span.read` adds the span's new attribute keys to the key table. The work limit is therefore checked before the span is read.
      const spanWork = meter === null ? 0 : meter.span(cursor.spanStart, cursor.spanEnd)
      if (work + spanWork > maxWork) {
        const message = `With this span, the record needs ${work + spanWork} units of work; ${maxWork} are allowed.`
        visitor.rejected(cursor, 'too_large', message)
        continue
      }
      if (!ownersReadable || !span.read(cursor.index, cursor.spanStart, cursor.spanEnd)) {
        visitor.rejected(cursor, span.reason, span.message)
        continue
      }
      const month = monthOf(span.startUs)
      const age = receivedMonth - monthNumber(month)
      if (age > maxAgeMonths || age < -1) {
        const message = `The start time ${span.startUs} µs is more than ${maxAgeMonths} months before, or more than 1 month after, the receipt of the span.`
        visitor.rejected(cursor, 'start_time_range', message)
        continue
      }
      rowBytes += rowBytesOf(cursor.spanEnd - cursor.spanStart, sharedBytes)
      if (rowBytes > maxRowBytes) {
        const message = `With this span, the rows of the record have ${rowBytes} bytes, including the resource and scope of each row; ${maxRowBytes} bytes are allowed.`
        visitor.rejected(cursor, 'too_large', message)
        continue
      }
      work += spanWork
      visitor.row(month, cursor)
    }
    return cursor.index + 1
  }
}

// Defines the reasons for which single spans of a request are rejected. A rejection has a reason for metrics and a message for people.
import { AppError } from '@svc-server/errors'

const rejectReasons = [
  'trace_id_absent',
  'trace_id_invalid',
  'trace_id_zero',
  'span_id_absent',
  'span_id_invalid',
  'span_id_zero',
  'parent_span_id_invalid',
  'start_time_range',
  'end_time_range',
  'malformed',
  'too_deep',
  'too_large',
] as const

export type RejectReason = (typeof rejectReasons)[number]

export interface RejectedSpan {
  /** Counted from 0, in wire order over all resources and scopes. */
  readonly index: number
  readonly reason: RejectReason
  /** An English sentence with the offending value. */
  readonly message: string
}

/**
 * If more spans are rejected, the whole request is rejected. A longer list of rejections could fill the memory, because a request of 64 MiB
 * can have tens of millions of spans of two bytes each.
 */
export const maxRejectedSpans = 100_000

export const tooManyRejected = (first: RejectedSpan): AppError =>
  new AppError(
    'body_undecodable',
    `More than ${maxRejectedSpans} spans of this request are invalid, so nothing was ingested. The first one is span ${first.index}: ${first.message}`,
    { rejected: maxRejectedSpans },
  )

/** Returns the text of `partial_success.error_message`: the number of rejected spans, and the first rejected span for each reason. */
export const describeRejections = (spanCount: number, rejected: readonly RejectedSpan[]): string => {
  const firsts = new Map<RejectReason, { first: RejectedSpan; count: number }>()
  for (const span of rejected) {
    const entry = firsts.get(span.reason)
    if (entry) entry.count++
    else firsts.set(span.reason, { first: span, count: 1 })
  }
  const parts = [...firsts.values()].map(
    ({ first, count }) => `span ${first.index}: ${first.message}${count > 1 ? ` (${count} spans in all with ${first.reason})` : ''}`,
  )
  return `${rejected.length} of ${spanCount} spans were rejected. ${parts.join(' ')}`
}

/**
 * The field that marks a span as rejected. If the transcoder of OTLP/JSON cannot write a span, for example because an id is invalid, the
 * transcoder writes only this field for the span, with the text `reason:message`. The scan rejects every span with this field, even if a
 * client has sent the field.
 */
export const rejectionNoteField = 536_870_911

const maxNoteLength = 500

export const rejectionNote = (reason: RejectReason, message: string): Buffer => Buffer.from(`${reason}:${message.slice(0, maxNoteLength)}`)

export const readRejectionNote = (note: Uint8Array): { reason: RejectReason; message: string } => {
  const text = Buffer.from(note.buffer, note.byteOffset, Math.min(note.length, 4 * maxNoteLength)).toString()
  const reason = rejectReasons.find(known => text.startsWith(`${known}:`))
  return reason ? { reason, message: text.slice(reason.length + 1) } : { reason: 'malformed', message: 'The span is marked as rejected.' }
}

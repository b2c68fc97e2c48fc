// Defines every reason for a dead letter once, with its cause. Only causes on the server's side may stop a consumer; otherwise
// one tenant could halt all others.

/**
 * client: an accepted body can cause it. ours: no body can, so the server's code is at fault. exception: a defect; one that a
 * single body triggers may come from its sender, but one that every project triggers is a bad deploy.
 */
export type DeadLetterCause = 'client' | 'ours' | 'exception'

const define = <K extends string>(table: Record<K, DeadLetterCause>) => table as Readonly<Record<K, DeadLetterCause>>

export const deadLetterReasons = define({
  // The envelope that the gateway or the propagator wrote: invalid record bytes, an unknown schema
  record_undecodable: 'ours',
  ledger_invalid: 'ours',
  // The client's payload within the envelope
  payload_undecodable: 'client',
  payload_too_large: 'client',
  store_refused: 'client',
  // One span of the payload
  trace_id_absent: 'client',
  trace_id_invalid: 'client',
  trace_id_zero: 'client',
  span_id_absent: 'client',
  span_id_invalid: 'client',
  span_id_zero: 'client',
  parent_span_id_invalid: 'client',
  start_time_range: 'client',
  end_time_range: 'client',
  malformed: 'client',
  too_deep: 'client',
  too_large: 'client',
  // The server's code threw
  exception: 'exception',
})

export type DeadLetterReason = keyof typeof deadLetterReasons

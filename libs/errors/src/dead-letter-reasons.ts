// Defines every reason for a dead letter, with its cause. Only a cause on the server's side is allowed to halt a consumer. Otherwise one
// tenant could stop the data of all other tenants.

/**
 * client: a body that the server accepted can cause the failure. ours: no body can cause the failure, so the server is at fault. exception:
 * the server's code threw an error. If only one body triggers the error, the sender may have caused it. If the data of every project
 * triggers it, the deploy is bad.
 */
export type DeadLetterCause = 'client' | 'ours' | 'exception'

const define = <K extends string>(table: Record<K, DeadLetterCause>) => table as Readonly<Record<K, DeadLetterCause>>

export const deadLetterReasons = define({
  // Failures of the envelope that the gateway or the propagator wrote: invalid record bytes, an unknown schema
  record_undecodable: 'ours',
  ledger_invalid: 'ours',
  // Failures of the client's payload within the envelope
  payload_undecodable: 'client',
  payload_too_large: 'client',
  store_refused: 'client',
  // Failures of one span of the payload
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

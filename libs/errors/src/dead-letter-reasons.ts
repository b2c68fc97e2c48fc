// Defines all reasons for dead letters, each with its cause. A consumer is halted only if the cause is on the side of the server. Otherwise
// one tenant could stop the data of all others.

/**
 * `client`: a body that the server has accepted can cause the failure. `ours`: the failure cannot be caused by a body, so the fault is on
 * the server's side. `exception`: code of the server has thrown an error. If a single body triggers the error, its sender could have caused
 * it. If the data of all projects triggers it, the deployed release is bad.
 */
export type DeadLetterCause = 'client' | 'ours' | 'exception'

const define = <K extends string>(table: Record<K, DeadLetterCause>) => table as Readonly<Record<K, DeadLetterCause>>

export const deadLetterReasons = define({
  // Failures of the envelope, which the gateway or the propagator has written: invalid bytes of a record, an unknown schema
  record_undecodable: 'ours',
  ledger_invalid: 'ours',
  // Failures of the client's payload in the envelope
  payload_undecodable: 'client',
  payload_too_large: 'client',
  store_refused: 'client',
  // Failures of a single span in the payload
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
  // Code of the server has thrown an error
  exception: 'exception',
})

export type DeadLetterReason = keyof typeof deadLetterReasons

// All reasons for dead letters, with their causes. A consumer halts only if the server is at fault. If other failures halted a consumer,
// one tenant's data could stop the data of all other tenants.

/**
 * `client`: an accepted body can cause the failure. `ours`: no body can cause the failure, so the server is at fault. `exception`: server
 * code has thrown an error. If a single body triggers the error, the sender of this body is possibly the cause. If the data of all projects
 * triggers the error, the deployed release is bad.
 */
export type DeadLetterCause = 'client' | 'ours' | 'exception'

const define = <K extends string>(table: Record<K, DeadLetterCause>) => table as Readonly<Record<K, DeadLetterCause>>

export const deadLetterReasons = define({
  // Failures of the envelope, such as invalid bytes or an unknown schema. Server code (the gateway or the propagator) wrote the envelope.
  record_undecodable: 'ours',
  ledger_invalid: 'ours',
  // Failures of the client's payload
  payload_undecodable: 'client',
  payload_too_large: 'client',
  store_refused: 'client',
  // Failures of a single span
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
  // Server code has thrown an error
  exception: 'exception',
})

export type DeadLetterReason = keyof typeof deadLetterReasons

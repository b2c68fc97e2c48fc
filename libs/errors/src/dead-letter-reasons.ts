// Every reason for which an item becomes a dead letter, once, with whose doing it is: only what is ours may
// stop a consumer. What a client can cause never does, or one tenant would halt all others.

/**
 * client: a body that was accepted can cause it. ours: none can, so the fault is in what we wrote. exception:
 * a defect met by one body may be set off by its sender; one that every project meets is a bad deploy.
 */
export type DeadLetterCause = 'client' | 'ours' | 'exception'

const define = <K extends string>(table: Record<K, DeadLetterCause>) => table as Readonly<Record<K, DeadLetterCause>>

export const deadLetterReasons = define({
  // The envelope that the gateway or the propagator wrote: bytes of no record, an unknown schema
  record_undecodable: 'ours',
  ledger_invalid: 'ours',
  // What the envelope carries is the client's own
  payload_undecodable: 'client',
  payload_too_large: 'client',
  store_refused: 'client',
  // One span of it
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
  // Our code threw
  exception: 'exception',
})

export type DeadLetterReason = keyof typeof deadLetterReasons

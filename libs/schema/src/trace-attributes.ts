// What a trace says about all of its spans: the fill-in that the propagator adds to staged spans (architecture §6).

/** Absent means: the trace says nothing about it. */
export interface TraceAttributes {
  readonly name?: string
  readonly userId?: string
  readonly sessionId?: string
  /** Sorted, without duplicates. */
  readonly tags?: readonly string[]
  readonly release?: string
  readonly version?: string
  readonly environment?: string
  readonly public?: boolean
  /** JSON text of an object. Goes to the trace's root only. */
  readonly metadata?: string
}

/** Avro has null where this type has nothing. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): TraceAttributes {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

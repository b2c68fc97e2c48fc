// What a trace says about all of its spans: the fill-in that the propagator adds to staged spans
// (architecture §6).

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
  /** The span without a parent that the trace has by OTel: staged entities without a parent are under it. Of no use to spans, and not written for them. */
  readonly rootSpanId?: string
  /** JSON text of an object. Goes to the trace's root only. */
  readonly metadata?: string
}

/** What a row takes for it, roughly: the texts. The metadata goes to the root only. */
export function fillBytes(fill: TraceAttributes | null): number {
  if (fill === null) return 0
  const { name, userId, sessionId, tags = [], release, version, environment } = fill
  const texts = [name, userId, sessionId, release, version, environment, ...tags]
  return texts.reduce((sum, text) => sum + (text === undefined ? 0 : Buffer.byteLength(text) + 1), 0)
}

/** Avro has null where this type has nothing. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): TraceAttributes {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

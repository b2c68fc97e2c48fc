// Trace attributes that apply to all spans of a trace: the fill-in that the propagator adds to staged spans
// (architecture §6).

/** An absent field means that the trace does not set it. */
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
  /**
   * The trace's root span by OTel, under which staged entities without a parent are placed. Spans do not need it and
   * their records omit it.
   */
  readonly rootSpanId?: string
  /** JSON text of an object. Goes to the trace's root only. */
  readonly metadata?: string
}

/** Approximate bytes that the fill-in adds to a row, by the length of its texts. The metadata goes to the root only. */
export function fillBytes(fill: TraceAttributes | null): number {
  if (fill === null) return 0
  const { name, userId, sessionId, tags = [], release, version, environment } = fill
  const texts = [name, userId, sessionId, release, version, environment, ...tags]
  return texts.reduce((sum, text) => sum + (text === undefined ? 0 : Buffer.byteLength(text) + 1), 0)
}

/** Avro uses null for fields that are absent in this type. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): TraceAttributes {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

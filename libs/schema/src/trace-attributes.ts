// Trace attributes that apply to all spans of a trace: the fill-in that the propagator adds to staged spans (architecture §6).

/** If the trace has no value for a field, the field is absent. */
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
   * The trace's root span, if the trace has spans from OTel. The span that becomes the parent of staged entities without a parent. Records
   * of spans omit this field, because spans do not need it.
   */
  readonly rootSpanId?: string
  /** JSON text of an object. The metadata goes only to the trace's root. */
  readonly metadata?: string
}

/**
 * Approximate bytes that the fill-in adds to a row, computed from the length of its texts. The estimate does not include the metadata,
 * because only the root span gets the metadata.
 */
export function fillBytes(fill: TraceAttributes | null): number {
  if (fill === null) return 0
  const { name, userId, sessionId, tags = [], release, version, environment } = fill
  const texts = [name, userId, sessionId, release, version, environment, ...tags]
  return texts.reduce((sum, text) => sum + (text === undefined ? 0 : Buffer.byteLength(text) + 1), 0)
}

/** Avro represents absent fields as null. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): TraceAttributes {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

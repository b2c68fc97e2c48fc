// The fill-in: attributes of a trace that the propagator adds to the trace's staged spans (architecture §6).

/** Fields without a value are absent. */
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
   * Id of the root span of a trace that has spans from OTel. This span becomes the parent of staged entities without a parent. Records of
   * spans do not have this field.
   */
  readonly rootSpanId?: string
  /** JSON text of an object. Only the root span's row gets the metadata. */
  readonly metadata?: string
}

/** Approximate bytes that these attributes add to a row. Metadata is not included, because only the root span gets metadata. */
export function fillBytes(fill: TraceAttributes | null): number {
  if (fill === null) return 0
  const { name, userId, sessionId, tags = [], release, version, environment } = fill
  const texts = [name, userId, sessionId, release, version, environment, ...tags]
  return texts.reduce((sum, text) => sum + (text === undefined ? 0 : Buffer.byteLength(text) + 1), 0)
}

export function withoutNulls(fields: Readonly<Record<string, unknown>>): TraceAttributes {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

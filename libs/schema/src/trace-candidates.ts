// The values that the spans of a trace have stated so far for the trace's attributes. The values are joined across windows, and the fill-in
// is computed from the joined values (architecture §6).

export type TraceField = 'name' | 'userId' | 'sessionId' | 'release' | 'version' | 'environment' | 'public' | 'rootSpanId'

/** The value of one attribute that one span states, with the value's rank. */
export interface TraceCandidate {
  readonly field: TraceField
  readonly root: boolean
  /** True if the value comes from an attribute that describes the trace, not from a fallback. */
  readonly explicit: boolean
  readonly startNs: bigint
  /** 16 hex digits. */
  readonly spanId: string
  /** For `public`: 'true' or 'false'. */
  readonly value: string
}

export interface TraceCandidates {
  /** At most one candidate per field, in the order of TraceField. */
  readonly winners: readonly TraceCandidate[]
  /** Sorted, without duplicates. */
  readonly tags: readonly string[]
  readonly rootSeen: boolean
}

// Trace attributes that the spans seen so far propose, joined across windows until they become the fill-in
// (architecture §6).

export type TraceField = 'name' | 'userId' | 'sessionId' | 'release' | 'version' | 'environment' | 'public' | 'rootSpanId'

/** One span's value for one attribute, with its rank. */
export interface TraceCandidate {
  readonly field: TraceField
  readonly root: boolean
  /** True when it comes from an attribute meant for the trace instead of a fallback. */
  readonly explicit: boolean
  readonly startNs: bigint
  /** 16 hex digits. */
  readonly spanId: string
  /** For `public`: 'true' or 'false'. */
  readonly value: string
}

export interface TraceCandidates {
  /** At most one per field, in the order of TraceField. */
  readonly winners: readonly TraceCandidate[]
  /** Sorted, without duplicates. */
  readonly tags: readonly string[]
  readonly rootSeen: boolean
}

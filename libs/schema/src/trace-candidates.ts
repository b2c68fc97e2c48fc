// The values that a trace's spans have stated so far for the attributes of the trace. These values are joined across windows, and determine
// which attributes are filled into the spans (architecture §6).

export type TraceField = 'name' | 'userId' | 'sessionId' | 'release' | 'version' | 'environment' | 'public' | 'rootSpanId'

/** The value that one span states for one attribute of the trace, with the rank of the value. */
export interface TraceCandidate {
  readonly field: TraceField
  readonly root: boolean
  /** True if the value comes from an attribute that describes the trace. False if the value is a fallback. */
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

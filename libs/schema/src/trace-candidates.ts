// What the spans of a trace, seen so far, say about the whole trace: what is joined across windows until it
// becomes the fill-in (architecture §6).

export type TraceField = 'name' | 'userId' | 'sessionId' | 'release' | 'version' | 'environment' | 'public' | 'rootSpanId'

/** One span's word on one attribute, with what it is ranked by. */
export interface TraceCandidate {
  readonly field: TraceField
  readonly root: boolean
  /** By an attribute that is meant for the trace, not by a fallback. */
  readonly explicit: boolean
  readonly startNs: bigint
  /** 16 hex digits. */
  readonly spanId: string
  /** Of `public`: 'true' or 'false'. */
  readonly value: string
}

export interface TraceCandidates {
  /** At most one a field, in the order of TraceField. */
  readonly winners: readonly TraceCandidate[]
  /** Sorted, without duplicates. */
  readonly tags: readonly string[]
  readonly rootSeen: boolean
}

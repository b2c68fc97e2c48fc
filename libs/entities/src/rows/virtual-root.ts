// The virtual root that stands for a trace of the legacy API among the events. One key for ever: merger and
// backfill make it here (contract §2.2).

export interface VirtualRoot {
  readonly spanId: string
  readonly startUs: number
}

export const virtualRootId = (traceId: string): string => `t-${traceId}`

/** `timestampMs`: the merged `traces.timestamp`, which has milliseconds. */
export const virtualRootOf = (traceId: string, timestampMs: number): VirtualRoot => ({
  spanId: virtualRootId(traceId),
  startUs: timestampMs * 1000,
})

// The virtual root that represents a trace of the legacy API in events_full. The key of the virtual root never changes. The merger and the
// backfill both create the virtual root with this code (contract §2.2).

export interface VirtualRoot {
  readonly spanId: string
  readonly startUs: number
}

export const virtualRootId = (traceId: string): string => `t-${traceId}`

/** `timestampMs` is the merged value of `traces.timestamp`, in milliseconds. */
export const virtualRootOf = (traceId: string, timestampMs: number): VirtualRoot => ({
  spanId: virtualRootId(traceId),
  startUs: timestampMs * 1000,
})

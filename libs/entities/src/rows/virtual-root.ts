// A virtual root is the row that represents a trace of the legacy API in events_full. The id of this row never changes. The merger and the
// backfill both use this code (contract §2.2).

export interface VirtualRoot {
  readonly spanId: string
  readonly startUs: number
}

export const virtualRootId = (traceId: string): string => `t-${traceId}`

/** `timestampMs` is the merged `traces.timestamp`. */
export const virtualRootOf = (traceId: string, timestampMs: number): VirtualRoot => ({
  spanId: virtualRootId(traceId),
  startUs: timestampMs * 1000,
})

// The propagator's knowledge of the traces of the last two days: the topic trace.attributes, folded into local files (architecture §6). The
// state changes only by reading the topic, so after a crash, a rebalance or the loss of the directory it equals what was committed.

import { type ChangelogOptions, openChangelog, type ReadOnOptions } from '@svc-server/owner/changelog'
import { decodeTraceWindow, type TraceWindow } from '@svc-server/schema/trace-window'
import { idOf } from './layout.ts'
import type { WindowPlace } from './table.ts'
import { createTraceFold } from './trace-fold.ts'

export interface TraceStateOptions extends ChangelogOptions {
  /**
   * Time for which a window stays known, by append time. The time is measured back from the end of the newest window, never from a clock.
   */
  readonly retentionMs?: number
}

interface CatchUpOptions extends ReadOnOptions {
  /**
   * End of the newest published window; the expiry of windows is measured from it. A project over its limit records no traces, so it
   * would have no later window to expire its old ones.
   */
  readonly endMs?: number | undefined
}

interface CaughtUp {
  /** Append time of the newest record ever applied; null: there was none. */
  readonly newestTimestampMs: number | null
  /** Records read by this call. */
  readonly applied: number
}

interface TraceStateSize {
  readonly traces: number
  readonly windows: number
  /** Traces that wait for a repair. */
  readonly pending: number
  readonly bytesOnDisk: number
}

/**
 * Lookups return the state after the last completed `catchUp` of the partition. During a `catchUp` they may return a state in between. A
 * partition that this process does not own keeps its old state.
 */
export interface TraceState {
  /** Reads on to the end of trace.attributes, as `Changelog.readOn`. */
  catchUp(partition: number, options?: CatchUpOptions): Promise<CaughtUp>
  /** `traceKey`: the key of the trace's records on spans.staging. */
  newest(partition: number, traceKey: Uint8Array): TraceWindow | null
  /** Ascending by first offset. */
  windows(partition: number, traceKey: Uint8Array): readonly TraceWindow[]
  /** Keys of traces with a window whose fill-in differs from that of their newest window. */
  pending(partition: number, limit: number): readonly Buffer[]
  pendingCount(partition: number): number
  /** Number of a project's traces with a window here. */
  projectTraces(partition: number, projectId: string): number
  /**
   * Traces in the order of their windows, oldest first, after this position; null: from the first. A trace with several windows appears
   * several times.
   */
  tracesAfter(
    partition: number,
    after: WindowPlace | null,
    limit: number,
  ): readonly { readonly traceKey: Buffer; readonly place: WindowPlace }[]
  /** Totals over all partitions, including the applied records of partitions that other owners have now. */
  size(): TraceStateSize
  close(): Promise<void>
}

const hour = 3_600_000

/** Call `catchUp` before any lookup. Rejects as `openChangelog` does. */
export async function openTraceState({ retentionMs = 48 * hour, ...options }: TraceStateOptions): Promise<TraceState> {
  const fold = createTraceFold(retentionMs)
  const changelog = await openChangelog(fold, options)
  const { ask } = changelog

  return {
    async catchUp(partition, { endMs = 0, ...how } = {}) {
      const { numbers, applied } = await changelog.readOn(partition, how, (to, reached) => fold.expire(to, reached, endMs))
      return { newestTimestampMs: numbers.newestTimestampMs, applied }
    },

    newest: (partition, traceKey) =>
      ask(partition, table => {
        const record = table.newest(traceKey)
        return record === null ? null : decodeTraceWindow(record)
      }),

    windows: (partition, traceKey) =>
      ask(partition, table => table.entries(idOf(traceKey)).map(entry => decodeTraceWindow(table.record(entry)))),

    pending: (partition, limit) => ask(partition, table => table.pending(limit)),
    pendingCount: partition => ask(partition, table => table.numbers()?.pending ?? 0),
    projectTraces: (partition, projectId) => ask(partition, table => table.projectTraces(projectId)),

    tracesAfter: (partition, after, limit) =>
      ask(partition, table =>
        table.windowsAfter(after, limit).map(({ traceKey, endMs, place }) => ({ traceKey, place: { endMs, place } })),
      ),

    size() {
      const size = { traces: 0, windows: 0, pending: 0 }
      for (const table of changelog.tables) {
        const { traces = 0, windows = 0, pending = 0 } = table.numbers() ?? {}
        size.traces += traces
        size.windows += windows
        size.pending += pending
      }
      return { ...size, bytesOnDisk: changelog.bytesOnDisk() }
    },

    close: changelog.close,
  }
}

// The propagator's knowledge of the traces of the last two days. The knowledge is in local files, which are built from the topic
// trace.attributes (architecture §6). The state changes only by reading the topic. After a crash, a rebalance or the loss of the directory,
// the state therefore equals the state of the committed records.

import { type ChangelogOptions, openChangelog, type ReadOnOptions } from '@svc-server/owner/changelog'
import { decodeTraceWindow, type TraceWindow } from '@svc-server/schema/trace-window'
import { idOf } from './layout.ts'
import type { WindowPlace } from './table.ts'
import { createTraceFold } from './trace-fold.ts'

export interface TraceStateOptions extends ChangelogOptions {
  /**
   * How long the state keeps a window, measured by append times. The age of a window is measured from the end of the newest window, and
   * never by a clock.
   */
  readonly retentionMs?: number
}

interface CatchUpOptions extends ReadOnOptions {
  /**
   * End of the newest published window; the age of other windows is measured from this end. The project's own windows cannot show the age:
   * a project above its limit records no traces, and therefore has no later windows.
   */
  readonly endMs?: number | undefined
}

interface CaughtUp {
  /** Append time of the newest record ever applied; null if there was no record. */
  readonly newestTimestampMs: number | null
  /** Number of records that this call has read. */
  readonly applied: number
}

interface TraceStateSize {
  readonly traces: number
  readonly windows: number
  /** Number of traces that wait for a repair. */
  readonly pending: number
  readonly bytesOnDisk: number
}

/**
 * Lookups return the state after the partition's last finished `catchUp`. During a `catchUp`, a lookup can return a state with only some of
 * the new records. Partitions that this process does not own are not kept up to date.
 */
export interface TraceState {
  /** Applies all records up to the end of trace.attributes, as `Changelog.readOn` does. */
  catchUp(partition: number, options?: CatchUpOptions): Promise<CaughtUp>
  /** `traceKey` is the key of the trace's records on spans.staging. */
  newest(partition: number, traceKey: Uint8Array): TraceWindow | null
  /** Returns the windows of a trace, ascending by first offset. */
  windows(partition: number, traceKey: Uint8Array): readonly TraceWindow[]
  /**
   * Returns the keys of traces that need a repair: their windows were published with different attributes, or the run items of their spans
   * are not known yet.
   */
  pending(partition: number, limit: number): readonly Buffer[]
  pendingCount(partition: number): number
  /** Number of traces of the project that have a window in this partition. */
  projectTraces(partition: number, projectId: string): number
  /**
   * Returns traces after the given position in the order of their windows, oldest first; null stands for the beginning. A trace with
   * several windows is returned once for each window.
   */
  tracesAfter(
    partition: number,
    after: WindowPlace | null,
    limit: number,
  ): readonly { readonly traceKey: Buffer; readonly place: WindowPlace }[]
  /** Totals over all partitions, including partitions that this process owned earlier. */
  size(): TraceStateSize
  close(): Promise<void>
}

const hour = 3_600_000

/** The caller must call `catchUp` before any lookup. Rejects with the errors of `openChangelog`. */
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

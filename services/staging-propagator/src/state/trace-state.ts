// Keeps the attributes of the traces of the last two days in local files (architecture §6). The state changes only when `catchUp`
// reads trace.attributes. The state therefore equals the committed records even after a crash or the loss of the directory.

import { type ChangelogOptions, openChangelog, type ReadOnOptions } from '@svc-server/owner/changelog'
import { decodeTraceWindow, type TraceWindow } from '@svc-server/schema/trace-window'
import { idOf } from './layout.ts'
import type { WindowPlace } from './table.ts'
import { createTraceFold } from './trace-fold.ts'

export interface TraceStateOptions extends ChangelogOptions {
  /**
   * Time for which the state keeps a window. The age of a window is the time between its own end and the end of the newest window. Both
   * ends are append times.
   */
  readonly retentionMs?: number
}

interface CatchUpOptions extends ReadOnOptions {
  /**
   * End of the newest published window. The state measures the age of windows against this time. The newest window in the changelog can end
   * earlier: while every project is above its limit, windows are published without a record in the changelog.
   */
  readonly endMs?: number | undefined
}

interface CaughtUp {
  /** Append time of the newest applied record. Null before the first record. */
  readonly newestTimestampMs: number | null
  /** Number of records that this call has applied to the state. */
  readonly applied: number
}

interface TraceStateSize {
  readonly traces: number
  readonly windows: number
  readonly pending: number
  readonly bytesOnDisk: number
}

/**
 * While no `catchUp` runs, a lookup returns the state after the last finished `catchUp`. While a `catchUp` runs, the state can already
 * contain some of the new records. Only partitions that this process owns are kept up to date.
 */
export interface TraceState {
  /** Reads the partition of the topic trace.attributes to its end, and applies all records. */
  catchUp(partition: number, options?: CatchUpOptions): Promise<CaughtUp>
  /** Returns the newest window of a trace. `traceKey` is the key of the trace's records on spans.staging. */
  newest(partition: number, traceKey: Uint8Array): TraceWindow | null
  /** Returns the windows of a trace, ascending by first offset. */
  windows(partition: number, traceKey: Uint8Array): readonly TraceWindow[]
  /** Returns the keys of traces that need a repair. */
  pending(partition: number, limit: number): readonly Buffer[]
  pendingCount(partition: number): number
  /** Returns the number of traces of the project that have a window in this partition. */
  projectTraces(partition: number, projectId: string): number
  /**
   * Returns traces after the given position, oldest window first. Null stands for the beginning. If a trace has several windows, the result
   * contains the trace several times.
   */
  tracesAfter(
    partition: number,
    after: WindowPlace | null,
    limit: number,
  ): readonly { readonly traceKey: Buffer; readonly place: WindowPlace }[]
  /** Returns the size of all partitions together, including partitions that this process no longer owns. */
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

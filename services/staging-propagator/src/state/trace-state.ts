// What the propagator knows of the traces of the last two days: the topic trace.attributes, folded into files beside the process (architecture §6).
// It is only ever advanced by reading the topic, so what is there after a crash, a rebalance or the loss of the directory is what was committed.
import { isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { decodeTraceWindow, type TraceWindow } from '@svc-server/schema/trace-window'
import type { Logger } from '@svc-server/service/logs'
import { type CatchUpDeps, type CatchUpOptions, type CaughtUp, catchUp } from './catch-up.ts'
import { idOf, type Numbers } from './layout.ts'
import { openStore } from './store.ts'
import { createTable, type Table } from './table.ts'
import { createTurns } from './turns.ts'

export interface TraceStateOptions {
  /** Of this state alone. It may be lost: it is read again from the log. */
  readonly directory: string
  readonly log: EventLog
  /** How long a window is known, by append time: counted back from the newest window's end, never from a clock. */
  readonly retentionMs?: number
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Something failed that should not, as damaged files do: this process cannot go on; the next one to open them begins with empty ones. */
  readonly onFault?: (error: unknown) => void
  /** Time between two lines about a long restore. */
  readonly progressMs?: number
}

interface TraceStateSize {
  readonly traces: number
  readonly windows: number
  /** Traces that wait for a repair. */
  readonly pending: number
  readonly bytesOnDisk: number
}

/**
 * The answers are those of the last `catchUp` of a partition that has resolved; while one runs, they lie in between. A partition that this process
 * does not own keeps what it had.
 */
export interface TraceState {
  /**
   * Reads on to the end of trace.attributes. A checkpoint that the log does not have any more, or of another log, is forgotten, and the partition
   * read again. Calls for one partition follow one another. Rejects as `EventLog.read` does, with `state_unavailable` when the disk does not take
   * it (what was applied stays, call again), with `record_undecodable` for a record of a newer version.
   */
  catchUp(partition: number, options?: CatchUpOptions): Promise<CaughtUp>
  /** `traceKey`: the key of the trace's records on spans.staging. */
  newest(partition: number, traceKey: Uint8Array): TraceWindow | null
  /** Ascending by first offset. */
  windows(partition: number, traceKey: Uint8Array): readonly TraceWindow[]
  /** Keys of traces with a window whose fill-in is not that of their newest one. */
  pending(partition: number, limit: number): readonly Buffer[]
  pendingCount(partition: number): number
  /** Traces of a project that have a window here. */
  projectTraces(partition: number, projectId: string): number
  /** Of all partitions, those of other owners included, as far as they were read here. */
  size(): TraceStateSize
  close(): Promise<void>
}

const hour = 3_600_000
/** One reads and folds while another waits for its transaction; there is one writer anyway. */
const concurrentBatches = 2

/**
 * Files that cannot be trusted (damaged, of another version, not on the disk when the machine stopped) are deleted. Call `catchUp` before asking.
 * Rejects as `EventLog.describe` does, and with `state_unavailable`.
 */
export async function openTraceState(options: TraceStateOptions): Promise<TraceState> {
  const { directory, log, logger, retentionMs = 48 * hour, progressMs = 3_000 } = options
  const topic = (await log.describe()).find(({ spec }) => spec.name === topicNames.traceAttributes)
  if (topic === undefined) throw new Error(`${topicNames.traceAttributes} is not a topic of the log.`)
  const store = openStore<Table, Numbers>({ directory, name: 'The trace state', createTable, partitions: topic.spec.partitions, logger })
  const running = new Map<number, Promise<unknown>>()
  const closing = new AbortController()
  const deps: CatchUpDeps = { log, store, logger, retentionMs, progressMs, turns: createTurns(concurrentBatches), closing: closing.signal }

  const fail = (error: unknown): never => {
    // Everything foreseen has a code; the rest means that the files are not what was written.
    if (isAppError(error)) throw error
    logger.error(
      { err: error, directory },
      'the trace state failed: its files are not trusted any more, and the next process to open them reads them again from the log',
    )
    options.onFault?.(error)
    store.markDamaged(error)
    throw error
  }
  const tableOf = (partition: number): Table => {
    const table = store.tables[partition]
    if (table === undefined) throw new RangeError(`${topicNames.traceAttributes} has no partition ${partition}.`)
    return table
  }
  const ask = <T>(partition: number, question: (table: Table) => T): T => {
    const table = tableOf(partition)
    try {
      return question(table)
    } catch (error) {
      return fail(error)
    }
  }

  return {
    async catchUp(partition, options = {}) {
      tableOf(partition)
      const before = running.get(partition)
      const run = (async () => {
        await before?.catch(() => {})
        return catchUp(deps, partition, options).catch(fail).finally(store.prove)
      })()
      running.set(partition, run)
      return run
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

    size() {
      const size = { traces: 0, windows: 0, pending: 0 }
      for (const table of store.tables) {
        const { traces = 0, windows = 0, pending = 0 } = table.numbers() ?? {}
        size.traces += traces
        size.windows += windows
        size.pending += pending
      }
      return { ...size, bytesOnDisk: store.bytesOnDisk() }
    },

    async close() {
      closing.abort()
      await Promise.allSettled(running.values())
      await store.close()
    },
  }
}

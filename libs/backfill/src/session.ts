// Runs the statements of one owner on the column store. Each owner has a number, and the fence table contains the newest number. A writing
// statement fails if the fence table has a newer number than the statement's owner. A former owner can therefore no longer start a writing
// statement. A new owner first ends the running statements of former owners.
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import { AppError, isAppError } from '@svc-server/errors'
import type { Dialect } from '@svc-server/schema/dialect'
import { createFence, fenceTable } from './scratch.ts'

export interface SessionOptions {
  readonly columnStore: ColumnStore
  readonly dialect: Dialect
  readonly owner: string
  /** The owner's own number in the fence table. Null for a session that is not the owner and only writes a proof. */
  readonly fence: number | null
  /** Maximum threads of a statement. The default leaves some threads for other work. */
  readonly threads?: number | undefined
  readonly sleep: (ms: number) => Promise<void>
  /** Lets tests simulate a kill between two statements. */
  readonly onStatement?: (sql: string) => Promise<void>
}

export interface Session {
  readonly dialect: Dialect
  readonly owner: string
  /** Condition that every writing statement must contain. */
  readonly unfenced: string
  /** Runs a writing statement. Throws `fenced` if a newer owner exists. */
  run(sql: string): Promise<void>
  query<Row>(sql: string): Promise<Row[]>
  /** Prevents former owners from starting statements that write, and waits until their running statements have ended. */
  takeOver(): Promise<void>
  /** Ends this owner's running statements. Called if the outcome of a statement is unknown. */
  quiesce(): Promise<void>
}

/** Part of the condition `unfenced`. By this text, the backfill finds its running statements that contain the condition. */
const mark = 'svc backfill: another runner has taken over from'

/** Maximum bytes of memory for one query. The database user can have a lower limit. */
const maxQueryMemory = 2_000_000_000

/**
 * Gives the backfill's threads a lower priority than the threads of live traffic. The setting is omitted if the column store has no
 * permission to set priorities (CAP_SYS_NICE).
 */
export const behindOthers = 'os_thread_priority = 10'

// The view of events_full writes a block to events_core for each inserted block. With these block sizes, both blocks together take far less
// memory than a query may use. Deduplication is off, so that a block can be inserted again after its rows were deleted.
const settings = [
  behindOthers,
  'max_insert_threads = 1',
  'min_insert_block_size_bytes = 134217728',
  'max_partitions_per_insert_block = 2000',
  'optimize_on_insert = 0',
  'insert_deduplicate = 0',
  'deduplicate_blocks_in_dependent_materialized_views = 0',
  `exclude_materialize_skip_indexes_on_insert = 's_input,s_output'`,
  'do_not_merge_across_partitions_select_final = 1',
  'max_bytes_before_external_group_by = 500000000',
  'max_bytes_before_external_sort = 500000000',
].join(', ')

const pollMs = 200
const maxWaitMs = 10 * 60_000
const accessDenied = 497

export function createSession({ columnStore, dialect, owner, fence, threads = 2, sleep, onStatement }: SessionOptions): Session {
  const text = `${mark} ${owner} ${fence}.`
  const unfenced = fence === null ? '1' : `throwIf((SELECT max(fence) FROM ${dialect.table(fenceTable)}) != ${fence}, ${literal(text)}) = 0`

  let memory: number | undefined
  async function readMemory(): Promise<number> {
    const [row] = await columnStore.query<{ limit: string }>("SELECT toString(getSetting('max_memory_usage')) AS limit")
    const limit = Number(row!.limit)
    return limit === 0 ? maxQueryMemory : Math.min(limit, maxQueryMemory)
  }

  /** Returns the ids of the running statements, except the id of this function's own query. */
  async function running(whose: string): Promise<readonly string[]> {
    const rows = await columnStore.query<{ query_id: string }>(
      `SELECT query_id FROM system.processes WHERE position(query, ${literal(mark)}) > 0 AND ${whose} AND position(query, 'system.processes') = 0`,
    )
    return rows.map(({ query_id }) => query_id)
  }

  /** Ends running statements. The embedded engine rejects KILL, but it ends a statement when the statement's client disconnects. */
  async function kill(ids: readonly string[]): Promise<void> {
    try {
      await columnStore.command(`KILL QUERY WHERE query_id IN (${ids.map(literal).join(', ')}) ASYNC`)
    } catch (error) {
      if (!isAppError(error) || error.params['clickHouseCode'] !== accessDenied) throw error
    }
  }

  async function end(whose: string): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const ids = await running(whose)
      if (ids.length === 0) return
      if (waitedMs >= maxWaitMs)
        throw new AppError('column_store_unavailable', `Statements of a former runner do not end: ${ids.join(', ')}`)
      await kill(ids)
      await sleep(pollMs)
    }
  }

  return {
    dialect,
    owner,
    unfenced,
    query: <Row>(sql: string) => columnStore.query<Row>(sql),
    async run(sql) {
      await onStatement?.(sql)
      try {
        memory ??= await readMemory()
        await columnStore.command(`${sql}\nSETTINGS max_memory_usage = ${memory}, max_threads = ${threads}, ${settings}`)
      } catch (error) {
        if (error instanceof Error && error.message.includes(mark)) throw new AppError('fenced', text, {}, { cause: error })
        throw error
      }
    },
    async takeOver() {
      await columnStore.command(createFence(dialect))
      await catchUp(columnStore, [dialect.table(fenceTable)])
      const fencing = `INSERT INTO ${dialect.table(fenceTable)} (fence, owner) SELECT ${fence}, ${literal(owner)}`
      await onStatement?.(fencing)
      await columnStore.command(fencing)
      await end('1')
    },
    quiesce: () => end(`position(query, ${literal(text)}) > 0`),
  }
}

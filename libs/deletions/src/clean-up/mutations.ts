// Deletes rows of a table. Only one mutation per table runs at a time, because each mutation rewrites parts, and many simultaneous
// mutations would delay inserts.
import { setTimeout as sleep } from 'node:timers/promises'
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'

export interface TableRows {
  readonly table: string
  /** Id of a partition. */
  readonly partition: string
  /** A complete SQL condition that contains its literals. Parameters would be part of a URL, which has a maximum length. */
  readonly where: string
}

export interface MutationWait {
  readonly signal?: AbortSignal | undefined
  /** Longest wait for a mutation. After this time the mutation continues in the server, but the caller no longer waits. */
  readonly maxWaitMs?: number
}

const defaultMaxWaitMs = 600_000
const firstPollMs = 50
const longestPollMs = 5_000

/**
 * Deletes rows physically, by rewriting the parts that contain them. Resolves when the parts are rewritten. Can be repeated after a
 * failure. Throws column_store_*, and `column_store_unavailable` when the mutation takes too long.
 */
export const deletePhysically = (columnStore: ColumnStore, { table, partition, where }: TableRows, wait?: MutationWait): Promise<void> =>
  mutate(
    columnStore,
    table,
    `ALTER TABLE ${table} DELETE IN PARTITION ID ${literal(partition)} WHERE ${where} SETTINGS mutations_sync = 0`,
    wait,
  )

/** Hides rows from every reader. Later merges of the rows' parts delete the bytes. Waits and throws like `deletePhysically`. */
export const deleteLightly = (columnStore: ColumnStore, { table, partition, where }: TableRows, wait?: MutationWait): Promise<void> =>
  mutate(
    columnStore,
    table,
    `DELETE FROM ${table} IN PARTITION ID ${literal(partition)} WHERE ${where} SETTINGS lightweight_deletes_sync = 0`,
    wait,
  )

/** Deletes the bytes of rows that `deleteLightly` has hidden. */
export const applyDeletions = (columnStore: ColumnStore, table: string, partition: string, wait?: MutationWait): Promise<void> =>
  mutate(
    columnStore,
    table,
    `ALTER TABLE ${table} APPLY DELETED MASK IN PARTITION ID ${literal(partition)} SETTINGS mutations_sync = 0`,
    wait,
  )

async function mutate(columnStore: ColumnStore, table: string, statement: string, wait: MutationWait = {}): Promise<void> {
  await untilIdle(columnStore, table, wait)
  await columnStore.command(statement)
  await untilIdle(columnStore, table, wait)
}

/**
 * Returns whether a mutation of the table is running, even if a different process began it. Two mutations at the same time would do the
 * same work twice.
 */
export async function isMutating(columnStore: Pick<ColumnStore, 'query' | 'database'>, table: string): Promise<boolean> {
  const rows = await columnStore.query(
    'SELECT 1 FROM system.mutations WHERE database = {database:String} AND table = {table:String} AND NOT is_done LIMIT 1',
    { database: columnStore.database, table },
  )
  return rows.length > 0
}

async function untilIdle(columnStore: ColumnStore, table: string, { signal, maxWaitMs = defaultMaxWaitMs }: MutationWait): Promise<void> {
  const givesUpAt = performance.now() + maxWaitMs
  for (let pollMs = firstPollMs; await isMutating(columnStore, table); pollMs = Math.min(2 * pollMs, longestPollMs)) {
    if (performance.now() >= givesUpAt) throw new AppError('column_store_unavailable', `Mutations of ${table} are not done.`, { table })
    await sleep(pollMs, undefined, signal && { signal })
  }
}

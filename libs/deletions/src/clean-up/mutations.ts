// Deletes rows of one table. Only one mutation of a table runs at a time, because many would delay inserts.
import { setTimeout as sleep } from 'node:timers/promises'
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'

export interface TableRows {
  readonly table: string
  /** Id of the table's partition. */
  readonly partition: string
  /** The condition has literals, because parameters would lengthen the URL. */
  readonly where: string
}

export interface MutationWait {
  readonly signal?: AbortSignal | undefined
  /** After this time, the call stops waiting, but the mutation continues. */
  readonly maxWaitMs?: number
}

const defaultMaxWaitMs = 600_000
const firstPollMs = 50
const longestPollMs = 5_000

/**
 * Deletes rows physically, and resolves when their parts have been rewritten. The call can be repeated. Throws column_store_*. If the
 * mutation takes too long, throws `column_store_unavailable`.
 */
export const deletePhysically = (columnStore: ColumnStore, { table, partition, where }: TableRows, wait?: MutationWait): Promise<void> =>
  mutate(
    columnStore,
    table,
    `ALTER TABLE ${table} DELETE IN PARTITION ID ${literal(partition)} WHERE ${where} SETTINGS mutations_sync = 0`,
    wait,
  )

/** Hides rows from all readers. Later merges delete the bytes of the hidden rows. Waits and throws like `deletePhysically`. */
export const deleteLightly = (columnStore: ColumnStore, { table, partition, where }: TableRows, wait?: MutationWait): Promise<void> =>
  mutate(
    columnStore,
    table,
    `DELETE FROM ${table} IN PARTITION ID ${literal(partition)} WHERE ${where} SETTINGS lightweight_deletes_sync = 0`,
    wait,
  )

/** Deletes what `deleteLightly` has hidden. */
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
 * Returns true if a mutation of the table is running, even if a different process started it. The caller then needs no mutation of its own,
 * which would only repeat the work.
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
    if (performance.now() >= givesUpAt)
      throw new AppError('column_store_unavailable', `Mutations of ${table} have not finished.`, { table })
    await sleep(pollMs, undefined, signal && { signal })
  }
}

// Everything that the column store has of a project that is deleted, table by table and month by month.
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { applyDeletions, deletePhysically, type MutationWait } from './mutations.ts'

/**
 * Tables with rows of projects. The ledger and the audit have offsets, no content; `sdk_usage` has names of SDKs, and counts; what
 * stands in the scratch tables of a backfill goes with them.
 */
export const projectTables = [
  'events_full',
  'events_core',
  'traces',
  'observations',
  'scores',
  'dataset_run_items_rmt',
  'sdk_usage',
  'blob_storage_file_log',
] as const

/** Those that this column store has: v3's own may be gone. */
async function existing(columnStore: ColumnStore, tables: readonly string[]): Promise<readonly string[]> {
  const found = await columnStore.query<{ readonly name: string }>('SELECT name FROM system.tables WHERE database = {database:String}', {
    database: columnStore.database,
  })
  return tables.filter(table => found.some(({ name }) => name === table))
}

/**
 * Deletes every row of the project physically, and resolves when none is left that was there at the beginning. May be broken off
 * anywhere and begun again. Throws column_store_*.
 */
export async function deleteProjectRows(columnStore: ColumnStore, projectId: string, wait: MutationWait = {}): Promise<void> {
  for (const table of await existing(columnStore, projectTables)) {
    for (const partition of await partitionsOf(columnStore, table, projectId)) {
      wait.signal?.throwIfAborted()
      await deletePhysically(columnStore, { table, partition, where: `project_id = ${literal(projectId)}` }, wait)
    }
    // What a retention took from readers is still in parts that had nothing else of the project.
    for (const partition of await partitionsOf(columnStore, table, projectId)) {
      wait.signal?.throwIfAborted()
      await applyDeletions(columnStore, table, partition, wait)
    }
  }
}

/** With rows of the project, those that no reader sees among them. */
async function partitionsOf(columnStore: ColumnStore, table: string, projectId: string): Promise<readonly string[]> {
  const found = await columnStore.query<{ readonly id: string }>(
    `SELECT DISTINCT _partition_id AS id FROM ${table} WHERE project_id = {projectId:String} ORDER BY id SETTINGS apply_deleted_mask = 0`,
    { projectId },
  )
  return found.map(({ id }) => id)
}

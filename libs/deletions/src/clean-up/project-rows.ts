import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { existingTables } from '../tables.ts'
import { applyDeletions, deletePhysically, type MutationWait } from './mutations.ts'

/** Resolves when the rows that existed at the call are physically deleted. Can be interrupted and repeated. Throws column_store_*. */
export async function deleteProjectRows(columnStore: ColumnStore, projectId: string, wait: MutationWait = {}): Promise<void> {
  for (const { table } of await existingTables(columnStore)) {
    for (const partition of await partitionsOf(columnStore, table, projectId)) {
      wait.signal?.throwIfAborted()
      await deletePhysically(columnStore, { table, partition, where: `project_id = ${literal(projectId)}` }, wait)
    }
    // A partition can still contain rows of the project that retention has hidden but not deleted.
    for (const partition of await partitionsOf(columnStore, table, projectId)) {
      wait.signal?.throwIfAborted()
      await applyDeletions(columnStore, table, partition, wait)
    }
  }
}

/** Returns the partitions with visible or hidden rows of the project. */
async function partitionsOf(columnStore: ColumnStore, table: string, projectId: string): Promise<readonly string[]> {
  const found = await columnStore.query<{ readonly id: string }>(
    `SELECT DISTINCT _partition_id AS id FROM ${table} WHERE project_id = {projectId:String} ORDER BY id SETTINGS apply_deleted_mask = 0`,
    { projectId },
  )
  return found.map(({ id }) => id)
}

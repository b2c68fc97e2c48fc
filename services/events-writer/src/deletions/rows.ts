import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denied } from '@svc-server/deletions/denials'
import { isMutating } from '@svc-server/deletions/mutations'
import { type DeletableTable, deletableTables, existingTables } from '@svc-server/deletions/tables'
import {
  type DeletedScore,
  deleteStatement,
  type Extent,
  extentQuery,
  hideScoresStatement,
  hideStatement,
  inBatches,
} from './statements.ts'

export interface DeletableRows {
  /**
   * Hides all rows of the given traces. Ignores the deletions of whole projects: nothing hides the rows of a deleted project before
   * `remove` deletes them. Rejects with column_store_*.
   */
  hide(deleted: readonly Denied[]): Promise<void>
  /**
   * Hides the rows of the given scores up to the given version. A score can have rows under several keys; all these rows are hidden. Audits
   * can still see that the rows were stored, because rows and tombstones stay until a merge. Rejects with column_store_*.
   */
  hideScores(scores: readonly DeletedScore[]): Promise<void>
  /**
   * Starts the deletion of the rows, unless a mutation of the table is running. Returns true if every row is deleted. Otherwise, the caller
   * must call `remove` again. Rejects with column_store_*.
   */
  remove(deleted: readonly Denied[]): Promise<boolean>
}

const scoresOfAStatement = 100

type Store = Pick<ColumnStore, 'command' | 'query' | 'database'>

export function createDeletableRows(columnStore: Store, tables: readonly DeletableTable[] = deletableTables): DeletableRows {
  async function extentOf(table: DeletableTable, batch: readonly Denied[]): Promise<Extent | null> {
    const query = extentQuery(table, batch)
    const [extent] = query === null ? [] : await columnStore.query<Extent>(query)
    return extent === undefined || extent.rows === '0' ? null : extent
  }

  async function removeFrom(table: DeletableTable, batch: readonly Denied[]): Promise<boolean> {
    const extent = await extentOf(table, batch)
    if (extent === null) return true
    if (!(await isMutating(columnStore, table.table))) await columnStore.command(deleteStatement(table, batch, extent))
    return false
  }

  return {
    async hide(deleted) {
      const traces = deleted.filter(({ traceId }) => traceId !== null)
      for (const batch of inBatches(traces)) {
        for (const table of tables) {
          const statement = hideStatement(table, batch)
          if (statement !== null) await columnStore.command(statement)
        }
      }
    },
    async hideScores(scores) {
      for (let at = 0; at < scores.length; at += scoresOfAStatement) {
        await columnStore.command(hideScoresStatement(scores.slice(at, at + scoresOfAStatement)))
      }
    },
    async remove(deleted) {
      let isGone = true
      const present = await existingTables(columnStore, tables)
      for (const batch of inBatches(deleted)) {
        for (const table of present) if (!(await removeFrom(table, batch))) isGone = false
      }
      return isGone
    },
  }
}

// A replica that is behind says of rows that they are missing. Whoever draws a conclusion from what is not
// there lets it catch up first.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the server that answers has fetched every part of these tables that any replica had when it
 * was asked; at once where tables are not replicated. LIGHTWEIGHT waits for parts and not for merges. Reads
 * with `select_sequential_consistency` would do, too, but want inserts with a quorum, one at a time. Rejects
 * with column_store_unavailable, whatever the reason: nothing may be concluded then.
 *
 * The statements are tested; that they suffice on a cluster is not: no server with replicas runs here. Behind
 * a balancer that spreads single requests the next one may meet another replica; then a row that is there may
 * be taken for missing once, and the replicated table knows its insert's token.
 */
export async function catchUp(columnStore: ColumnStore, tables: readonly string[]): Promise<void> {
  if (!columnStore.replicated) return
  for (const table of tables) {
    try {
      await columnStore.command(`SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError('column_store_unavailable', `${table} may be behind its replicas: ${reason}`, {}, { cause: error })
    }
  }
}

// Lets replicas catch up, because a replica that lags reports existing rows as missing. A caller that concludes something from missing rows
// must call this first.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the server that responds has fetched every part of these tables that any replica had at the time of the call. Resolves
 * immediately if the tables are not replicated. LIGHTWEIGHT waits only for parts and not for merges. Reads with
 * `select_sequential_consistency` would have the same effect, but they need inserts with a quorum, one at a time. If it cannot wait for the
 * parts, rejects with column_store_unavailable, whatever the cause is. The caller must then not draw conclusions from missing rows.
 *
 * The tests check only the text of the statements. No test runs a server with replicas, so it is not tested that the statements suffice on
 * a cluster. If a balancer distributes single requests, the next request can reach a different replica. That replica can report an existing
 * row as missing. If the caller inserts the row again, the replicated table recognizes the token of the insert and ignores it.
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

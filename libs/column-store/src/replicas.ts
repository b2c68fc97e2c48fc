// Lets replicas catch up, because a replica that lags reports existing rows as missing. A caller that concludes something from missing rows
// must call this first.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the server that responds has fetched every part of these tables that any replica had at the time of the call. Resolves
 * immediately if the tables are not replicated. LIGHTWEIGHT waits only for parts and not for merges. Reads with
 * `select_sequential_consistency` would have the same effect, but they need inserts with a quorum, one at a time. Rejects with
 * column_store_unavailable for any reason. The caller must then not conclude anything.
 *
 * Tests check the text of the statements. The tests do not show that the statements suffice on a cluster, because no test runs a server
 * with replicas. If a balancer distributes single requests, the next request can reach a different replica. An existing row can then be
 * reported as missing once; in this case, the replicated table recognizes the token of its insert.
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

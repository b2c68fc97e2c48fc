// A replica that is behind reports existing rows as missing. A caller that draws conclusions from missing rows must first let the replica
// catch up.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the responding server has fetched every part of these tables that any replica had at the time of the call, and immediately
 * for tables without replication. LIGHTWEIGHT waits for parts and not for merges. Reads with `select_sequential_consistency` would also
 * work, but need inserts with a quorum, one at a time. Rejects with column_store_unavailable for any reason; the caller may then conclude
 * nothing.
 *
 * The tests cover the statements, but do not show that the statements are sufficient on a cluster, because no test runs a server with
 * replicas. Behind a balancer that spreads single requests, the next request may reach another replica. An existing row may then count as
 * missing once, and the replicated table recognizes its insert's token.
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

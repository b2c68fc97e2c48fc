// Lets replicas catch up, because a lagging replica reports existing rows as missing. Call this before drawing conclusions from missing
// rows.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the responding server has all parts of these tables that any replica had at the time of the call. Resolves immediately
 * without replicated tables. LIGHTWEIGHT waits for parts, but not for merges. Reads with `select_sequential_consistency` would also see all
 * rows, but require quorum inserts, one at a time. If waiting fails for any reason, rejects with column_store_unavailable. After a failed
 * wait, the caller must not draw conclusions from missing rows.
 *
 * The tests check only the text of the statements. No test runs a server with replicas, so it is unproven that the statements suffice. If a
 * balancer distributes single requests, the next request can reach a different replica. A different replica can report an existing row as
 * missing. If the caller inserts the row again, the replicated table ignores it because of its insert token.
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

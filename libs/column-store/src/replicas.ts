// Lets replicas catch up, because a lagging replica reports existing rows as missing.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the responding server has all parts of these tables that any replica has now. LIGHTWEIGHT waits for parts, but not for
 * merges. `select_sequential_consistency` is no alternative, because it requires quorum inserts, one at a time. If waiting fails, rejects
 * with column_store_unavailable. The caller must then not draw conclusions from missing rows.
 *
 * No test runs replicas, so we have not proven that these statements are enough. A load balancer can still send the next request to another
 * replica, which lags. If the caller then inserts an existing row again, the replicated table ignores the insert because of its token.
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

// Lets replicas catch up, because a lagging replica reports existing rows as missing.
import { AppError } from '@svc-server/errors'
import type { ColumnStore } from './port.ts'

/**
 * Resolves when the responding server has all parts of these tables that any replica has now. LIGHTWEIGHT waits for parts, but not for
 * merges. `select_sequential_consistency` is no alternative, because it requires quorum inserts, one at a time. If waiting fails, rejects
 * with column_store_unavailable. The caller must then not draw conclusions from missing rows.
 *
 * No test runs replicas, so we have not proven that these statements are enough. Even after this function has resolved, a load balancer can
 * send the caller's next request to another replica that lags. That replica can report an existing row as missing. If the caller then
 * inserts this row again, the replicated table ignores the insert because of the insert's token.
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

// Derives an export's status from its row (contract §19.6). An export that is due stays "queued" while no process runs exports.
import type { BlobStorageSyncStatus } from '@svc-server/api/blob-storage-integrations/types'
import type { Integration } from '@svc-server/relational/blob-storage-integrations'
import type { z } from 'zod'

/** If a run takes longer than this, its process has probably died. */
const longestRunMs = 2 * 3_600_000

type Facts = Pick<Integration, 'enabled' | 'lastError' | 'runStartedAt' | 'nextSyncAt' | 'lastSyncAt'>

export function syncStatusOf(
  { enabled, lastError, runStartedAt, nextSyncAt, lastSyncAt }: Facts,
  nowMs: number,
): z.output<typeof BlobStorageSyncStatus> {
  if (!enabled) return 'disabled'
  if (lastError !== null) return 'error'
  if (runStartedAt !== null && nowMs - runStartedAt.getTime() < longestRunMs) return 'running'
  if (nextSyncAt !== null && nextSyncAt.getTime() <= nowMs) return 'queued'
  return lastSyncAt === null ? 'idle' : 'up_to_date'
}

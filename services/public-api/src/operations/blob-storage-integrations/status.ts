// Status of an export, derived from its stored row (contract §19.6) by the first rule that applies. An export that is due has the status
// "queued" as long as no process runs exports.
import type { BlobStorageSyncStatus } from '@svc-server/api/blob-storage-integrations/types'
import type { Integration } from '@svc-server/relational/blob-storage-integrations'
import type { z } from 'zod'

/** If a run is active for longer than this, the API assumes that its process has died. */
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

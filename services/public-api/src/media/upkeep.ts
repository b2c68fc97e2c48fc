// Deletes media that have no references, that belong to deleted projects, or that are older than their project's retention. Every step can
// be repeated, so several processes can do this work at the same time.
import type { BlobStore } from '@svc-server/blob-store'
import { isAppError } from '@svc-server/errors'
import { readRetentions } from '@svc-server/relational/retentions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import {
  type Candidate,
  deleteUnreferenced,
  readCandidates,
  readMediaOfDeletedProjects,
  type StoredMedia,
  unlinkAbandoned,
  unlinkExpired,
} from '@svc-server/relational/unreferenced-media'
import { createRounds, type Rounds } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'

export interface MediaUpkeepOptions {
  readonly relational: Pick<RelationalStore, 'db'>
  readonly blobs: BlobStore | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly logger: Logger
}

export interface MediaUpkeep extends Pick<Rounds, 'start' | 'stop'> {
  /** Starts a round of deletions soon. Called after a reference was removed. */
  soon(): void
  /** Throws the errors of the media store and the relational store. After an error, the media that were already deleted stay deleted. */
  round(signal?: AbortSignal): Promise<void>
}

const restMs = 1_000
/** Interval of the regular rounds. */
const everyMs = 60_000
const expireEveryMs = 3_600_000
const dayMs = 86_400_000
/** An upload for a dataset item counts as abandoned if no item refers to it after this time. */
const abandonedAfterMs = dayMs
const batch = 100

export function createMediaUpkeep({ relational, blobs, clock, logger }: MediaUpkeepOptions): MediaUpkeep {
  const all = instance(relational)
  let roundAtMs = Number.NEGATIVE_INFINITY
  let expiredAtMs = Number.NEGATIVE_INFINITY
  let isWanted = true

  async function removeBytes({ bucketName, bucketPath, ...media }: StoredMedia): Promise<void> {
    if (blobs !== undefined && blobs.name === bucketName) return blobs.remove([bucketPath])
    logger.warn({ ...media, bucketName, bucketPath }, 'The bytes of deleted media are in a store that is not configured: delete them there')
  }

  async function deleteEach(candidates: readonly Candidate[], signal: AbortSignal | undefined): Promise<void> {
    let deleted = 0
    for (const candidate of candidates) {
      if (signal?.aborted) break
      if (await deleteUnreferenced(all, candidate, removeBytes)) deleted++
    }
    if (deleted > 0) logger.info({ deleted }, 'Deleted media without references')
  }

  async function expire(): Promise<void> {
    const nowMs = clock()
    const at = new Date(nowMs)
    for (const { projectId, retentionDays } of await readRetentions(all))
      await unlinkExpired(all, { projectId, before: new Date(nowMs - retentionDays * dayMs) }, at)
    await unlinkAbandoned(all, new Date(nowMs - abandonedAfterMs), at)
    expiredAtMs = nowMs
  }

  async function round(signal?: AbortSignal): Promise<void> {
    isWanted = false
    roundAtMs = clock()
    if (clock() - expiredAtMs >= expireEveryMs) await expire()
    for (const read of [readCandidates, readMediaOfDeletedProjects]) {
      for (;;) {
        const candidates = await read(all, batch)
        await deleteEach(candidates, signal)
        if (candidates.length < batch || signal?.aborted) break
      }
    }
  }

  async function tried(signal: AbortSignal): Promise<void> {
    if (!isWanted && clock() - roundAtMs < everyMs) return
    try {
      await round(signal)
    } catch (error) {
      if (signal.aborted) return
      logger[isAppError(error) ? 'warn' : 'error']({ err: error }, 'The upkeep of media failed, and is retried')
    }
  }

  return { ...createRounds({ round: tried, restMs }), soon: () => void (isWanted = true), round }
}

// Removes deleted traces and projects from dead letters before their deletion counts as done. Afterwards, new dead letters can still
// contain data of the deleted traces and projects. This data is removed once a day.

import type { Denials } from '@svc-server/deletions/denials'
import { createRounds, type Rounds } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { type DeadLetterLog, purge } from './purge.ts'
import { withoutDeleted } from './without-deleted.ts'

export interface DeadLetterCleaner extends Pick<Rounds, 'start' | 'stop'> {
  /**
   * Scans the dead letters, and removes deleted data from them. Then resolves with true. If the last scan was too recent, `clean` resolves
   * with false without a scan, and the caller must retry. Rejects with log_*.
   */
  clean(): Promise<boolean>
}

export interface DeadLetterCleanerOptions {
  readonly log: DeadLetterLog
  readonly denials: Denials
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Between two scans. */
  readonly restMs?: number | undefined
  readonly everyMs?: number
}

const day = 86_400_000
/**
 * Retention of the dead-letter topic. To remove a dead letter, the purge appends copies of the earlier dead letters that must stay. It then
 * deletes all records up to the dead letter, including it. The copies keep the age of the originals (`atMs`), so the copies expire like the
 * originals.
 */
const retentionMs = 30 * day
/** The pause after a scan is at least this many times as long as the scan, because a scan of the topic can read gigabytes. */
const restShare = 20

export function createDeadLetterCleaner({
  log,
  denials,
  logger,
  clock,
  restMs = 15_000,
  everyMs = day,
}: DeadLetterCleanerOptions): DeadLetterCleaner {
  let mayLookAt = 0

  async function clean(): Promise<boolean> {
    const startedAt = performance.now()
    if (startedAt < mayLookAt) return false
    mayLookAt = startedAt + restMs
    const { deadLetters, bytes } = await purge(log, withoutDeleted(denials, clock() - retentionMs), { isDone: true })
    mayLookAt = Math.max(mayLookAt, performance.now() + restShare * (performance.now() - startedAt))
    if (deadLetters > 0) logger.info({ deadLetters, bytes }, 'Deleted the dead letters of deleted traces and projects')
    return true
  }

  const tried = () =>
    clean().catch((error: unknown) =>
      logger.warn({ err: error }, 'Dead letters of deleted traces and projects could not be deleted; this is retried'),
    )
  const { start, stop } = createRounds({ round: tried, restMs: everyMs })
  return {
    clean,
    start,
    stop,
  }
}

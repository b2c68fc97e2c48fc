// Takes the contents of what was deleted out of the dead letters: before a deletion is reported as done, and once a day, for what came late.

import type { Denials } from '@svc-server/deletions/denials'
import { createRounds, type Rounds } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { type LetterLog, purge } from './purge.ts'
import { withoutDeleted } from './without-deleted.ts'

export interface LetterCleaner extends Pick<Rounds, 'start' | 'stop'> {
  /** True: no letter has anything of what is denied by now. False: it was looked a moment ago, ask again. Rejects with log_*. */
  clean(): Promise<boolean>
}

export interface LetterCleanerOptions {
  readonly log: LetterLog
  readonly denials: Denials
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** The least time between two looks. */
  readonly restMs?: number | undefined
  readonly everyMs?: number
}

const day = 86_400_000
/** As long as the topic keeps them. A letter that is written again, because one before it goes, does not become younger. */
const retentionMs = 30 * day
/** The topic may have gigabytes: reading them is a small share of the time. */
const restShare = 20

export function createLetterCleaner({ log, denials, logger, clock, restMs = 15_000, everyMs = day }: LetterCleanerOptions): LetterCleaner {
  let mayLookAt = 0

  async function clean(): Promise<boolean> {
    const startedAt = performance.now()
    if (startedAt < mayLookAt) return false
    mayLookAt = startedAt + restMs
    const { letters, bytes } = await purge(log, withoutDeleted(denials, clock() - retentionMs), { isDone: true })
    mayLookAt = Math.max(mayLookAt, performance.now() + restShare * (performance.now() - startedAt))
    if (letters > 0) logger.info({ letters, bytes }, 'Dead letters of what was deleted have gone')
    return true
  }

  const tried = () =>
    clean().catch((error: unknown) => logger.warn({ err: error }, 'Dead letters of what was deleted stay, and are tried again'))
  const { start, stop } = createRounds({ round: tried, restMs: everyMs })
  return {
    clean,
    start,
    stop,
  }
}

// Sets the flags of traces again and again, as long as the log keeps the commands. Rows can arrive after a flag was set, for example with
// late spans, repairs and retries. Such a row has the client's flags until the next round.
import { type Flag, flagBy } from '@svc-server/deletions/flags'
import { isAppError } from '@svc-server/errors'
import type { Command } from '@svc-server/schema/command'
import { createRounds, type Rounds } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import type { FlagRows } from './flag-rows.ts'

/**
 * Maximum flags that are kept. Above this number, the oldest flags are dropped, because each flag takes a few hundred bytes and makes every
 * query larger.
 */
const maxFlags = 200_000
const defaultEveryMs = 600_000

export interface StandingFlags extends Pick<Rounds, 'start' | 'stop'> {
  /** Call this for each command, in the order in which the topic contains the commands. */
  take(command: Command): void
}

/** Several processes can set the same flags, because setting a flag twice is harmless. */
export function createStandingFlags(
  { flags, logger }: { readonly flags: FlagRows; readonly logger: Logger },
  everyMs = defaultEveryMs,
): StandingFlags {
  const standing = new Map<string, Flag>()

  async function look(): Promise<void> {
    try {
      await flags.set([...standing.values()])
    } catch (error) {
      if (!isAppError(error)) throw error
      logger.warn({ err: error, flags: standing.size }, 'Trace flags could not be read; this is retried')
    }
  }

  const { start, stop } = createRounds({ round: look, restMs: everyMs })
  return {
    take(command) {
      const flag = flagBy(command)
      if (flag === null) return
      const key = JSON.stringify([flag.projectId, flag.traceId, flag.name])
      standing.delete(key)
      standing.set(key, flag)
      if (standing.size > maxFlags) standing.delete(standing.keys().next().value!)
    },
    start,
    stop,
  }
}

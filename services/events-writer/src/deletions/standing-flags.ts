// Flags of traces stand for as long as their commands are kept: rows that come after one was set, or again (late spans, repairs, replays, retries), have
// what their client said, until somebody looks again.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Flag, flagBy } from '@svc-server/deletions/flags'
import { isAppError } from '@svc-server/errors'
import type { Command } from '@svc-server/schema/command'
import type { Logger } from '@svc-server/service/logs'
import type { FlagRows } from './flag-rows.ts'

/** The newest ones. Each costs some hundred bytes, and a share of a question a look. */
const maxFlags = 200_000
const defaultEveryMs = 600_000

export interface StandingFlags {
  /** In the order of the topic. */
  take(command: Command): void
  start(): void
  stop(): Promise<void>
}

/** Any number of processes may do it: each flag may be set twice. */
export function createStandingFlags(
  { flags, logger }: { readonly flags: FlagRows; readonly logger: Logger },
  everyMs = defaultEveryMs,
): StandingFlags {
  const standing = new Map<string, Flag>()
  const ending = new AbortController()
  let running: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    try {
      await flags.set([...standing.values()])
    } catch (error) {
      if (!isAppError(error)) throw error
      logger.warn({ err: error, flags: standing.size }, 'Flags of traces could not be looked at, and are tried again')
    }
  }

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})
      if (!ending.signal.aborted) await look()
    }
  }

  return {
    take(command) {
      const flag = flagBy(command)
      if (flag === null) return
      const key = JSON.stringify([flag.projectId, flag.traceId, flag.name])
      standing.delete(key)
      standing.set(key, flag)
      if (standing.size > maxFlags) standing.delete(standing.keys().next().value!)
    },
    start: () => void (running = follow()),
    async stop() {
      ending.abort()
      await running
    },
  }
}

// The list of all deletions in a deployment. At startup, the list reads the deletions in the relational store, and then the whole topic
// `commands`. After the startup, the list reads each new record of `commands`.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isAppError } from '@svc-server/errors'
import type { LogRecord } from '@svc-server/log'
import type { Command } from '@svc-server/schema/command'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { createRounds } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import { createDenials, type Denials, type Denied } from './denials.ts'
import type { denyListMetrics } from './metrics.ts'
import { type CommandLog, commandIn, deniedBy, firstCommands, readCommands } from './read-denials.ts'

export interface DenyList extends Denials {
  /** Shared memory from which other threads read the denials. Undefined while nothing is denied. */
  readonly shared: SharedArrayBuffer | undefined
  /** Resolves when all existing commands have been read. While the stores do not respond, the promise stays pending. */
  start(): Promise<void>
  /**
   * Throws `log_unavailable` if the topic was not read to its end within the last `maxDenyListAgeMs`. Work that begins at least
   * `maxDenyListAgeMs` after a command therefore respects the command.
   */
  refuseWhenStale(): void
  stop(): Promise<void>
}

export interface DenyListOptions {
  readonly log: CommandLog
  /**
   * Reads the deletions that a store keeps, because the topic may no longer have the commands of old deletions. If this function is absent,
   * the list contains only the deletions whose commands are on the topic.
   */
  readonly remembered?: (() => Promise<readonly Denied[]>) | undefined
  readonly logger: Logger
  readonly metrics: Metrics<typeof denyListMetrics>
  /** Called for each command, in the order of a partition's records. If the log was recreated, all commands are received again. */
  readonly onCommand?: (command: Command) => void
  readonly pollMs?: number
}

const maxDenyListAgeMs = 10_000
const defaultPollMs = 500

export function createDenyList({ log, remembered, logger, metrics, onCommand, pollMs = defaultPollMs }: DenyListOptions): DenyList {
  const denials = createDenials()
  const { signal, ...rounds } = createRounds({ round: tried, restMs: pollMs })
  /** The next offset to read in each partition. */
  let positions: number[] | null = null
  let hasRemembered = remembered === undefined
  /** Time of the last read that reached the end of the topic (monotonic clock). */
  let readAtMs: number | null = null
  const createdAtMs = performance.now()

  metrics.denied.onScrape(() => metrics.denied.set(denials.size))
  metrics.deniedBytes.onScrape(() => metrics.deniedBytes.set(denials.bytes))
  metrics.denyListAge.onScrape(() => metrics.denyListAge.set((performance.now() - (readAtMs ?? createdAtMs)) / 1000))

  function take(record: LogRecord): void {
    try {
      const command = commandIn(record)
      const denied = command === null ? null : deniedBy(command)
      if (denied !== null) denials.add(denied)
      if (command !== null) onCommand?.(command)
    } catch (error) {
      if (!(error instanceof UndecodableRecord)) throw error
      const { partition, offset } = record
      metrics.undecodableCommands.inc()
      logger.error({ err: error, partition, offset }, 'A deletion command cannot be read, so the data that it names is not deleted')
    }
  }

  async function catchUp(): Promise<void> {
    if (!hasRemembered) {
      for (const denied of await remembered!()) denials.add(denied)
      hasRemembered = true
    }
    const startedAt = performance.now()
    positions ??= await firstCommands(log)
    if (positions === null) throw new AppError('log_unavailable', 'The log has no topic of commands.')
    await readCommands(log, positions, take, signal)
    readAtMs = startedAt
  }

  /** Resolves with false if the stores do not respond. */
  async function tried(): Promise<boolean> {
    try {
      await catchUp()
      return true
    } catch (error) {
      if (signal.aborted) return false
      // The log was recreated, or has deleted the records at `positions`.
      if (isAppError(error) && error.code === 'offset_out_of_range') positions = null
      logger.warn({ err: error }, 'The deletion commands could not be read; nothing is stored until they can be read')
      return false
    }
  }

  return {
    concerns: denials.concerns,
    denies: denials.denies,
    get shared() {
      return denials.size === 0 ? undefined : denials.shared
    },
    async start() {
      while (!signal.aborted && !(await tried())) await sleep(2 * pollMs, undefined, { signal }).catch(() => {})
      rounds.start()
    },
    refuseWhenStale() {
      const ageMs = readAtMs === null ? Number.POSITIVE_INFINITY : performance.now() - readAtMs
      if (ageMs <= maxDenyListAgeMs) return
      throw new AppError('log_unavailable', 'The newest deletion commands could not be read, so recent deletions are unknown.', { ageMs })
    },
    stop: rounds.stop,
  }
}

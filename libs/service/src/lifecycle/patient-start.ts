// What a process does until its stores answer: it runs, says in a sentence what it waits for, and is not
// ready. Ending instead would make the orchestrator back off for minutes, so that the process comes back long
// after the store has.
import { setTimeout as sleep } from 'node:timers/promises'
import { isAppError, isRetryable } from '@svc-server/errors'
import { type Health, healthy, unhealthy } from '../health/health.ts'
import type { Logger } from '../logs/logger.ts'
import type { NamedService } from './run-until-signal.ts'

export interface Opening {
  /**
   * Tries again for as long as the failure may pass; anything else ends the process. `what` begins the
   * sentence.
   */
  reach<T>(what: string, open: () => Promise<T>): Promise<T>
  /** Closed when the process stops, the last one first; also when a later part could not be opened. */
  onClose(close: () => Promise<unknown>): void
}

export interface PatientStartOptions {
  readonly name: string
  readonly health: Health
  readonly logger: Logger
  /** Opens the stores and starts what works on them. */
  readonly open: (opening: Opening) => Promise<void>
  /** It cannot be opened and waiting does not help: the process must end. */
  readonly onRefused: (error: unknown) => void
  readonly firstPauseMs?: number
  readonly maxPauseMs?: number
}

/** A service that has started as soon as it tries, and is ready when `open` has resolved. */
export function createPatientStart(options: PatientStartOptions): NamedService {
  const { name, health, logger, firstPauseMs = 500, maxPauseMs = 10_000 } = options
  const stopping = new AbortController()
  const closers: (() => Promise<unknown>)[] = []
  let waitingFor: string | null = 'the stores are being opened'
  let opening: Promise<void> | undefined

  health.register({ name: `${name}: stores`, probe: 'ready', check: () => (waitingFor === null ? healthy : unhealthy(waitingFor)) })

  async function reach<T>(what: string, open: () => Promise<T>): Promise<T> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
      stopping.signal.throwIfAborted()
      try {
        return await open()
      } catch (error) {
        if (!isAppError(error) || !isRetryable(error)) throw error
        waitingFor = `${what} cannot be reached: ${error.message}`
        logger.warn({ err: error, nextTryMs: pauseMs }, `${what} cannot be reached; this process is not ready and tries again`)
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  async function open(): Promise<void> {
    try {
      await options.open({ reach, onClose: close => closers.push(close) })
      waitingFor = null
      if (!stopping.signal.aborted) logger.info(`${name} is ready`)
    } catch (error) {
      if (stopping.signal.aborted) return
      logger.fatal({ err: error, ...(isAppError(error) && { help: error.operatorHelp }) }, `${name} cannot start`)
      options.onRefused(error)
    }
  }

  return {
    name,
    async start() {
      opening = open()
    },
    async drain() {
      stopping.abort()
      await opening
      const failures: unknown[] = []
      for (const close of closers.toReversed()) await close().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    },
  }
}

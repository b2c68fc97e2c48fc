// Keeps a process running but not ready until its stores respond, and logs the store that it waits for. If the process exited instead, the
// orchestrator could wait for minutes before the restart.
import { setTimeout as sleep } from 'node:timers/promises'
import { isAppError, isRetryable } from '@svc-server/errors'
import { type Health, healthy, unhealthy } from '../health/health.ts'
import type { Logger } from '../logs/logger.ts'
import type { NamedService } from './run-until-signal.ts'

export interface Opening {
  /**
   * Calls `open` again after a failure that can be transient. Any other failure ends the process. The log message about a failure begins
   * with `what`.
   */
  reach<T>(what: string, open: () => Promise<T>): Promise<T>
  /** Registers a function that runs when the process stops. The functions run in reverse order, even if a store fails to open. */
  onClose(close: () => Promise<unknown>): void
}

export interface PatientStartOptions {
  readonly name: string
  readonly health: Health
  readonly logger: Logger
  /** Opens the stores and starts what uses them. */
  readonly open: (opening: Opening) => Promise<void>
  /** Called if waiting cannot help; the process must then end. */
  readonly onRefused: (error: unknown) => void
  readonly firstPauseMs?: number
  readonly maxPauseMs?: number
}

/** `start` resolves immediately, and the service is ready when `open` resolves. */
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
        logger.warn({ err: error, nextTryMs: pauseMs }, `${what} cannot be reached; this process is not ready and retries`)
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

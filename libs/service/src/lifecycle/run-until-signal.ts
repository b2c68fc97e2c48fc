// Handles the start, the signals, the drain and the exit of every process (architecture §10). A stopping process ends in bounded time and
// logs the reason.
import type { EventEmitter } from 'node:events'
import { isAppError } from '@svc-server/errors'
import type { Health } from '../health/health.ts'
import type { Logger } from '../logs/logger.ts'
import { drainEach } from './drain-each.ts'

export interface Service {
  /** Rejects if the service cannot start. The process then exits. */
  start(): Promise<void>
  /** Finishes running work, commits, and releases resources. Also called after a failed start. */
  drain(): Promise<void>
}

export interface NamedService extends Service {
  readonly name?: string
}

/** The members of `process` that this file uses. Tests pass a substitute for `process`, so that they do not end their own process. */
type ProcessHost = Pick<EventEmitter, 'on' | 'off'> & { exit(code: number): unknown }

export interface RunOptions {
  /** Services start in this order and drain in reverse, so that client ports close first. */
  readonly services: readonly NamedService[]
  readonly logger: Logger
  /** Maximum time from the signal to the exit. A process that takes longer exits with 1. */
  readonly graceMs: number
  /** The health of the process. The probe `ready` fails from the start of the drain. */
  readonly health?: Health
  /** When this promise resolves, the process drains as after a signal, and exits with 1. */
  readonly broken?: Promise<unknown>
  readonly host?: ProcessHost
}

type Signal = 'SIGTERM' | 'SIGINT'
const exitCodes: Readonly<Record<Signal, number>> = { SIGTERM: 143, SIGINT: 130 }

type Outcome = 'done' | 'failed' | 'late'

interface Step {
  readonly service: string
  readonly logger: Logger
}

/** Waits until the start succeeds or fails, or until `late` resolves. */
const runStart = async (work: () => Promise<void>, late: Promise<unknown>, { service, logger }: Step): Promise<Outcome> => {
  const done = async (): Promise<Outcome> => {
    try {
      await work()
      return 'done'
    } catch (error) {
      const help = isAppError(error) ? { help: error.operatorHelp } : {}
      logger.error({ err: error, failed: service, ...help }, 'A service did not start')
      return 'failed'
    }
  }
  const outcome = await Promise.race([done(), late.then(() => 'late' as const)])
  if (outcome === 'late') logger.error({ late: service }, 'The grace period has ended, but a service is still starting')
  return outcome
}

/**
 * Starts the services, waits for SIGTERM or SIGINT, drains, and exits. The exit code is 0 after a complete drain in time, and 1 in all
 * other cases. A second signal ends the process immediately with exit code 130 or 143. This is safe, because every component tolerates a
 * crash. An uncaught error is logged, and the process exits with 1. With the real `process`, the promise never resolves.
 */
export const runUntilSignal = async (options: RunOptions): Promise<number> => {
  const { logger, graceMs, health, host = process } = options
  const services = options.services.map((service, index) => ({ service, name: service.name ?? `service ${index + 1}` }))
  const signalled = Promise.withResolvers<Signal | 'broken'>()
  const graceOver = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<number>()
  let signals = 0
  let graceTimer: NodeJS.Timeout | undefined

  let graceEndsAt = 0
  const beginGrace = () => {
    if (graceTimer !== undefined) return
    graceTimer = setTimeout(graceOver.resolve, graceMs)
    graceEndsAt = performance.now() + graceMs
  }
  const exit = (code: number) => {
    clearTimeout(graceTimer)
    for (const [event, listener] of listeners) host.off(event, listener)
    host.exit(code)
    ended.resolve(code)
  }
  const onSignal = (signal: Signal) => () => {
    signals += 1
    if (signals > 1) {
      logger.warn({ signal }, 'Second signal: exiting without a drain')
      return exit(exitCodes[signal])
    }
    logger.info({ signal, graceMs }, 'Draining')
    health?.drain()
    beginGrace()
    signalled.resolve(signal)
  }
  const onBug = (what: string) => (error: unknown) => {
    logger.fatal({ err: error }, `${what}: the process ends`)
    exit(1)
  }
  void options.broken?.then(() => signalled.resolve('broken'))
  const listeners: readonly (readonly [event: string, listener: (error: unknown) => void])[] = [
    ['SIGTERM', onSignal('SIGTERM')],
    ['SIGINT', onSignal('SIGINT')],
    ['uncaughtException', onBug('Uncaught exception')],
    ['unhandledRejection', onBug('Unhandled rejection')],
  ]
  for (const [event, listener] of listeners) host.on(event, listener)

  const drain = async (started: readonly { service: NamedService; name: string }[]): Promise<boolean> => {
    health?.drain()
    beginGrace()
    const draining = started.map(({ service, name }) => ({ name, drain: () => service.drain() }))
    return drainEach(draining, { graceMs: graceEndsAt - performance.now(), logger })
  }

  const run = async (): Promise<number> => {
    const started: { service: NamedService; name: string }[] = []
    for (const entry of services) {
      if (signals > 0) break
      started.push(entry)
      const outcome = await runStart(() => entry.service.start(), graceOver.promise, { service: entry.name, logger })
      if (outcome === 'late') return 1
      if (outcome === 'failed') {
        await drain(started)
        return 1
      }
    }
    const why = await signalled.promise
    const clean = await drain(started)
    if (clean) logger.info('Drained')
    return clean && why !== 'broken' ? 0 : 1
  }

  void run().then(exit, onBug('The lifecycle failed'))
  return ended.promise
}

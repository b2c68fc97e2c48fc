// Starts the engine's process, and keeps it running.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError } from '@svc-server/errors'
import { reachableHost } from '@svc-server/http/listeners'
import { ensurePrivateDirectory } from '@svc-server/service/files'
import { type Child, spawnChild } from './process/child.ts'
import type { ChildOptions } from './process/protocol.ts'
import { createPulse } from './process/pulse.ts'

export type EngineState = 'starting' | 'running' | 'restarting' | 'stopped'

interface EngineLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Memory that the engine does not count: unsent results, pages that the allocator has not freed, and the runtime. The largest observed
 * value was 0.4 GB: the engine had first produced six results of maximum size, and then ran six statements that need much memory.
 */
export const besideEngineBytes = 1024 ** 3

export interface EngineOptions {
  /** Directory for data, spool and configuration. Only one process at a time can use it. */
  readonly dataDir: string
  /** With 0, the engine chooses a free port, and keeps this port when it is restarted. */
  readonly port: number
  readonly host?: string
  readonly user?: string
  readonly password: string
  /**
   * The database is created if it is missing. Its name must not be `default`: in that database, the engine also offers files as tables.
   */
  readonly database?: string
  /** Host names of the engine, besides the loopback names and `host`. */
  readonly allowedHosts?: readonly string[]
  /**
   * Memory limit of the engine's process. Of this memory, `besideEngineBytes` are reserved for the rest of the process, and the engine can
   * allocate the remaining bytes.
   */
  readonly memoryLimitBytes?: number
  readonly insertSlots?: number
  readonly readSlots?: number
  /** Maximum number of statements of each kind that wait for a slot. Further statements fail with code 202. */
  readonly maxWaiting?: number
  readonly maxWaitMs?: number
  readonly maxInsertBytes?: number
  readonly maxQueryBytes?: number
  /** Gives the engine a lower priority than this process, which serves requests (ADR 0057). Default: false. */
  readonly isBehindParent?: boolean
  /** Maximum wait for an earlier process to release the lock. */
  readonly lockWaitMs?: number
  /**
   * The pause before the first restart of a crashed process, and the longest pause. Each pause is twice as long as the previous pause, up
   * to `last`.
   */
  readonly restartDelayMs?: readonly [first: number, last: number]
  /** If the engine's process does not respond for this time, it is killed, and a new process is started. */
  readonly silenceMs?: number
  readonly startTimeoutMs?: number
  readonly logger?: EngineLogger
  readonly onState?: (state: EngineState) => void
  readonly clock?: () => number
}

export interface Engine {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly version: string
  readonly pid: number | undefined
  readonly state: EngineState
  readonly restarts: number
  /** Running statements get `graceMs` (10,000 by default) to finish. Resolves after the process has ended. */
  stop(graceMs?: number): Promise<void>
}

const GB = 1_000_000_000
const GiB = 1024 ** 3
const steadyAfterMs = 60_000
/** Number of unanswered probes after which a process counts as silent. */
const beatsPerSilence = 20

const failureOf = (child: Child, message: string, options: EngineOptions): AppError => {
  if (child.failure === 'port') return new AppError('port_in_use', `The embedded engine cannot listen on port ${options.port}: ${message}`)
  if (child.failure === 'platform') return new AppError('platform_unsupported', `There is no embedded engine for this platform: ${message}`)
  if (child.failure === 'locked') return new AppError('data_dir_locked', `Another engine runs on ${options.dataDir}.`)
  return new AppError('column_store_unavailable', `The embedded engine did not start: ${message}`)
}

const pause = (ms: number, until: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (until.aborted) return resolve()
    const timer = setTimeout(done, ms)
    until.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      until.removeEventListener('abort', done)
      resolve()
    }
  })

const checkedOptions = (options: EngineOptions): ChildOptions => {
  const database = options.database ?? 'svc'
  if (database === 'default' || database === 'system')
    throw new AppError('config_invalid', `The embedded engine cannot use the database name ${database}.`)
  if (options.password === '') throw new AppError('config_invalid', 'The embedded engine needs a password.')
  const directory = resolve(options.dataDir)
  ensurePrivateDirectory(directory, 'The engine’s directory')
  const workingDirectory = join(directory, 'empty')
  mkdirSync(workingDirectory, { recursive: true, mode: 0o700 })
  return {
    directory,
    workingDirectory,
    host: options.host ?? '127.0.0.1',
    port: options.port,
    user: options.user ?? 'svc',
    password: options.password,
    database,
    allowedHosts: options.allowedHosts ?? [],
    engineMemoryBytes: (options.memoryLimitBytes ?? 2.5 * GiB) - besideEngineBytes,
    insertSlots: options.insertSlots ?? 2,
    copySlots: 2,
    readSlots: options.readSlots ?? 6,
    maxWaiting: options.maxWaiting ?? 64,
    maxWaitMs: options.maxWaitMs ?? 30_000,
    maxInsertBytes: options.maxInsertBytes ?? GB,
    maxQueryBytes: options.maxQueryBytes ?? 4_000_000,
    isBehindParent: options.isBehindParent ?? false,
  }
}

/**
 * Resolves when the engine responds. Rejects with data_dir_locked, port_in_use, platform_unsupported, config_invalid, or
 * column_store_unavailable. If the process dies later, a new process replaces it on the same port.
 */
export const startEngine = async (options: EngineOptions): Promise<Engine> => {
  const { silenceMs = 20_000, startTimeoutMs = 300_000 } = options
  const { logger, onState, clock = Date.now, lockWaitMs = 15_000, restartDelayMs: [firstDelay, lastDelay] = [200, 10_000] } = options
  let childOptions = checkedOptions(options)
  const stopping = new AbortController()
  let state: EngineState = 'starting'
  let restarts = 0
  let child: Child | undefined

  const enter = (next: EngineState) => {
    if (state === next) return
    state = next
    onState?.(next)
  }

  /** Resolves when the process responds. While an earlier process holds the lock, retries the start until `lockWaitMs` have passed. */
  const launch = async (): Promise<Child> => {
    const giveUpAt = clock() + lockWaitMs
    for (;;) {
      const next = spawnChild(childOptions, stack =>
        logger?.error({ stack }, 'A request to the embedded engine failed because of a defect'),
      )
      child = next
      const late = setTimeout(() => next.kill(), startTimeoutMs)
      try {
        const ready = await next.ready
        // Clients reconnect to this port after a restart.
        childOptions = { ...childOptions, port: ready.port }
        logger?.info({ pid: next.pid, port: ready.port, version: ready.version, bootId: ready.bootId }, 'The embedded engine is up')
        return next
      } catch (error) {
        await next.exited
        const message = error instanceof Error ? error.message : String(error)
        if (next.failure !== 'locked' || clock() >= giveUpAt || stopping.signal.aborted) throw failureOf(next, message, options)
        await pause(firstDelay, stopping.signal)
      } finally {
        clearTimeout(late)
      }
    }
  }

  /** Watches whether the engine responds. Returns a function that ends this watch. */
  const watchPulse = (running: Child): (() => void) => {
    const intervalMs = silenceMs / beatsPerSilence
    const onSilent = () => {
      logger?.error({ pid: running.pid, silenceMs }, 'The embedded engine runs but does not respond; it is restarted')
      running.kill()
    }
    const pulse = createPulse({ ask: running.beat, intervalMs, silenceMs, onSilent })
    const timer = setInterval(pulse.tick, intervalMs)
    return () => clearInterval(timer)
  }

  const revive = async (): Promise<void> => {
    let delay = firstDelay
    while (!stopping.signal.aborted) {
      enter('restarting')
      await pause(delay, stopping.signal)
      if (stopping.signal.aborted) return
      try {
        const next = await launch()
        restarts += 1
        enter('running')
        return watch(next)
      } catch (error) {
        logger?.error({ err: error }, 'The embedded engine did not restart; trying again')
        delay = Math.min(delay * 2, lastDelay)
      }
    }
  }

  let quickDeaths = 0
  const watch = (running: Child): void => {
    const since = clock()
    const endPulse = watchPulse(running)
    stopping.signal.addEventListener('abort', endPulse, { once: true })
    void running.exited.then(async ({ code, signal, lastOutput }) => {
      endPulse()
      stopping.signal.removeEventListener('abort', endPulse)
      if (stopping.signal.aborted) return
      logger?.error({ pid: running.pid, code, signal, output: lastOutput }, 'The embedded engine exited')
      enter('restarting')
      quickDeaths = clock() - since < steadyAfterMs ? quickDeaths + 1 : 0
      // If several processes in a row died soon after their start, the next start is delayed.
      if (quickDeaths > 1) await pause(Math.min(firstDelay * 2 ** quickDeaths, lastDelay), stopping.signal)
      await revive()
    })
  }

  const { version } = await launch().then(async first => {
    enter('running')
    watch(first)
    return first.ready
  })

  return {
    get url() {
      return `http://${reachableHost(childOptions.host)}:${childOptions.port}`
    },
    host: childOptions.host,
    get port() {
      return childOptions.port
    },
    user: childOptions.user,
    database: childOptions.database,
    version,
    get pid() {
      return state === 'running' ? child?.pid : undefined
    },
    get state() {
      return state
    },
    get restarts() {
      return restarts
    },
    async stop(graceMs = 10_000) {
      stopping.abort()
      await child?.stop(graceMs)
      enter('stopped')
    },
  }
}

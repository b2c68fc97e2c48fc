// Runs one service as a process.
import { type ChildProcess, spawn } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type Exit = number | NodeJS.Signals | null

export interface ServiceProcessOptions {
  readonly name: string
  readonly script: string
  readonly env: Readonly<Record<string, string>>
  readonly probeUrl: string
  readonly onLine: (line: string) => void
  /** Called when the service exits without a request to stop. */
  readonly onUnexpectedExit: (exit: Exit) => void
}

export interface ServiceProcess {
  readonly name: string
  readonly probeUrl: string
  readonly pid: number | undefined
  readonly running: boolean
  /**
   * Rejects with the service's last output if the service exits before it is ready. `changed` contains new values of environment variables.
   * `program` is a new entry point, as in an upgrade.
   */
  start(changed?: Readonly<Record<string, string>>, program?: string): Promise<void>
  /** After SIGKILL, the exit is not reported as unexpected. */
  signal(signal: NodeJS.Signals): void
  ended(): Promise<Exit>
  stop(): Promise<Exit>
}

const readyTimeoutMs = 90_000
const pollMs = 50
const lastLines = 15

const isReady = async (probeUrl: string): Promise<boolean> => {
  try {
    return (await fetch(`${probeUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

export function createServiceProcess({ name, script, env, probeUrl, onLine, onUnexpectedExit }: ServiceProcessOptions): ServiceProcess {
  let variables = env
  let entry = script
  let child: ChildProcess | undefined
  let exited: Promise<Exit> = Promise.resolve(null)
  let expected = false
  const recent: string[] = []

  const running = () => child !== undefined && child.exitCode === null && child.signalCode === null

  const note = (line: string) => {
    recent.push(line)
    if (recent.length > lastLines) recent.shift()
    onLine(line)
  }

  function launch(): void {
    expected = false
    const compiled = getCompileCacheDir()
    const started = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(entry)], {
      env: {
        UV_THREADPOOL_SIZE: '8',
        MALLOC_ARENA_MAX: '2',
        PATH: variables['PATH'] ?? '',
        ...(compiled && { NODE_COMPILE_CACHE: dirname(compiled) }),
        ...variables,
      },
      // This channel carries no messages, but it closes when the cluster's process dies, and then the service drains.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C in a terminal ends all processes of a group at once, but the cluster stops its services one kind after the other. Each
      // service therefore has its own process group.
      detached: true,
    })
    for (const stream of [started.stdout!, started.stderr!]) createInterface({ input: stream }).on('line', note)
    child = started
    exited = new Promise(done => {
      // `close` fires after the service's last line of output.
      started.once('close', (code, signal) => {
        const exit = signal ?? code
        done(exit)
        if (!expected) onUnexpectedExit(exit)
      })
    })
  }

  return {
    name,
    probeUrl,
    get pid() {
      return running() ? child?.pid : undefined
    },
    get running() {
      return running()
    },
    async start(changed = {}, program = entry) {
      variables = { ...variables, ...changed }
      entry = program
      if (!running()) launch()
      const deadline = performance.now() + readyTimeoutMs
      while (running() && performance.now() < deadline) {
        if (await isReady(probeUrl)) return
        await sleep(pollMs)
      }
      const what = running() ? `is not ready after ${readyTimeoutMs / 1000} s` : `ended with ${await exited}`
      throw new Error(`${name} ${what}. Its last words:\n${recent.join('\n')}`)
    },
    signal(signal) {
      if (signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT') expected = true
      if (running()) child?.kill(signal)
    },
    ended: () => exited,
    stop() {
      expected = true
      if (running()) child?.kill('SIGTERM')
      return exited
    },
  }
}

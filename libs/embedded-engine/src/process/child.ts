import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChildOptions, FromChild, ToChild } from './protocol.ts'

interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /**
   * The last part of the process's output. It can contain the reason of a crash, because the engine's library writes this reason to stderr.
   */
  readonly lastOutput: string
}

export interface Child {
  readonly pid: number | undefined
  /** Rejects if the process reports a failure, or dies before it is ready. `failure` then describes the failure. */
  readonly ready: Promise<Extract<FromChild, { kind: 'ready' }>>
  readonly failure: 'locked' | 'port' | 'platform' | 'engine' | undefined
  readonly exited: Promise<ChildExit>
  /** Resolves when the engine responds. Only one call of `beat` may be pending at a time. */
  beat(): Promise<void>
  /** Sends SIGKILL, which also ends a process that SIGSTOP has suspended. */
  kill(): void
  /** Ends the process as soon as its running statements have ended, at the latest after the grace period. */
  stop(graceMs: number): Promise<void>
}

const entry = fileURLToPath(new URL('../main.ts', import.meta.url))
const keptOutputBytes = 4_096

const collectOutput = (child: ChildProcess): (() => string) => {
  let text = ''
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-keptOutputBytes)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return () => text.trim()
}

export const spawnChild = (options: ChildOptions, onDefect: (stack: string) => void = () => {}): Child => {
  const compiled = getCompileCacheDir()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    // This directory is empty, so that relative paths in a statement lead to no file.
    cwd: options.workingDirectory,
    // stdio[4] is the lifeline (see process/lifeline.ts). Statements run on the thread pool of libuv. By default, this pool has four
    // threads, so four statements would block all file operations. The child does not inherit the parent's environment, which has secrets.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    env: { UV_THREADPOOL_SIZE: '24', TZ: 'UTC', ...(compiled && { NODE_COMPILE_CACHE: dirname(compiled) }) },
    serialization: 'json',
  })
  const output = collectOutput(child)
  const exited = once(child, 'close').then(
    ([code, signal]): ChildExit => ({ code, signal, lastOutput: output() }),
    (error: Error): ChildExit => ({ code: null, signal: null, lastOutput: error.message }),
  )
  child.on('error', () => undefined)
  child.stdio[4]?.on('error', () => undefined)
  const say = (message: ToChild): void => {
    if (child.connected) child.send(message, () => undefined)
  }

  let failure: Child['failure']
  let onBeat = (): void => undefined
  const ready = new Promise<Extract<FromChild, { kind: 'ready' }>>((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      if (message.kind === 'ready') resolve(message)
      if (message.kind === 'beat') onBeat()
      if (message.kind === 'defect') onDefect(message.stack)
      if (message.kind !== 'failed') return
      failure = message.reason
      child.kill('SIGKILL')
      // The engine reports only on stderr why it refuses a directory.
      void exited.then(({ lastOutput }) => {
        if (/Cannot lock file/.test(lastOutput)) failure = 'locked'
        reject(new Error([message.message, lastOutput].filter(Boolean).join(' · ')))
      })
    })
    void exited.then(({ code, signal, lastOutput }) => reject(new Error(`the process ended (${signal ?? code}) ${lastOutput}`)))
  })
  ready.catch(() => undefined)
  say({ kind: 'start', options })

  return {
    pid: child.pid,
    ready,
    get failure() {
      return failure
    },
    exited,
    beat: () =>
      new Promise(resolve => {
        onBeat = resolve
        say({ kind: 'beat' })
      }),
    kill: () => void child.kill('SIGKILL'),
    async stop(graceMs) {
      const stopped = new Promise<void>(resolve => {
        child.on('message', (message: FromChild) => {
          if (message.kind === 'stopped') resolve()
        })
      })
      say({ kind: 'stop', graceMs })
      const ended = exited.then(() => undefined)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, graceMs + 5_000)
      })
      await Promise.race([stopped, ended, late])
      clearTimeout(timer)
      // The engine has closed, or its grace period is over. The process is killed, because an ordinary exit could hang.
      child.kill('SIGKILL')
      await ended
    },
  }
}

// Runs a server as a child process. The server ends when its parent process ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { waitFor } from './wait-for.ts'

export interface GuardedProcess {
  readonly pid: number
  readonly running: boolean
  /** Resolves when the server has printed that it is ready. Rejects with the last output if the server exits before that. */
  ready(): Promise<void>
  signal(signal: NodeJS.Signals): void
  ended(): Promise<void>
}

export interface GuardedProcessOptions {
  /** Name of the server in the message "… did not start". */
  readonly what: string
  readonly command: readonly string[]
  /** An existing file. The server's output is appended to this file. */
  readonly logFile: string
  /** The server prints this line once per start, when it is ready. */
  readonly readyLine: string
  /** The guard sends this signal to the server after the parent has ended. */
  readonly orphanSignal: 'KILL' | 'QUIT'
  readonly uid?: number
  readonly gid?: number
}

// The shell's standard input is a pipe from the parent. The pipe closes when the parent ends, and the shell then ends the server. The
// script uses only shell built-ins, because a missing program would end the shell and the server immediately.
const guard = `exec 3<&0
orphan_signal=$1; shift
"$@" </dev/null >>"$0" 2>&1 &
server=$!
echo $server
( read -r nothing <&3; kill -$orphan_signal $server 2>/dev/null ) &
guard=$!
wait $server
kill $guard 2>/dev/null`

const startTimeoutMs = 120_000

export async function spawnGuarded(options: GuardedProcessOptions): Promise<GuardedProcess> {
  const { what, logFile, command, readyLine, orphanSignal, uid, gid } = options
  const logBefore = readFileSync(logFile).length
  const shell = spawn('/bin/sh', ['-c', guard, logFile, orphanSignal, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // The server has its own process group. Otherwise, Ctrl-C in a terminal could stop a store while processes still write to the store.
    detached: true,
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  })
  const exited = once(shell, 'exit')
  const { value: firstLine } = await createInterface({ input: shell.stdout })[Symbol.asyncIterator]().next()
  const pid = Number(firstLine)
  if (!Number.isSafeInteger(pid)) throw new Error(`${what} could not be started: no shell.`)

  const isRunning = (): boolean => shell.exitCode === null && shell.signalCode === null
  const started = (): boolean => readFileSync(logFile).subarray(logBefore).includes(readyLine)

  return {
    pid,
    get running() {
      return isRunning()
    },
    async ready() {
      const waiting = { what: `${what} to start`, timeoutMs: startTimeoutMs, everyMs: 50 }
      await waitFor(() => started() || !isRunning(), waiting).catch(() => {})
      if (!started() || !isRunning())
        throw new Error(`${what} did not start. Its last output:\n${lastWords(readFileSync(logFile, 'utf8'))}`)
    },
    signal(signal) {
      if (isRunning()) process.kill(pid, signal)
    },
    async ended() {
      if (isRunning()) await exited
    },
  }
}

/**
 * Returns the first lines with errors and the end of the log. The first errors name the cause. The end alone is not enough, because often
 * it shows only an orderly shutdown.
 */
function lastWords(log: string): string {
  const errors = log.split('\n').filter(line => /\b(?:ERROR|FATAL)\b|Exception/.test(line))
  return [...errors.slice(0, 10), log.slice(-4000)].join('\n')
}

// A server as a process: started, watched until it serves, signalled by its id, and never left behind when
// its starter dies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { waitFor } from './wait-for.ts'

export interface GuardedProcess {
  readonly pid: number
  readonly running: boolean
  /** Resolves when the server has said that it serves; rejects with its last words when it ends instead. */
  ready(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Resolves when the process is gone. */
  ended(): Promise<void>
}

export interface GuardedProcessOptions {
  /** Completes "… did not start". */
  readonly what: string
  readonly command: readonly string[]
  /** There already; its output is added. */
  readonly logFile: string
  /** Stands in the output once per start, when the server serves. */
  readonly readyLine: string
  /** What the server gets when its starter is gone. */
  readonly orphanSignal: 'KILL' | 'QUIT'
  readonly uid?: number
  readonly gid?: number
}

// The shell's standard input is a pipe from the starter. It ends with the starter, however that dies, and
// takes the server along. Nothing but what the shell has built in: on a search path without programs the
// guard would end at once, and the server with it.
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
    // A group of its own: a terminal's Ctrl-C must not stop a store before what still writes to it.
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
      if (!started() || !isRunning()) throw new Error(`${what} did not start. Its last words:\n${lastWords(readFileSync(logFile, 'utf8'))}`)
    },
    signal(signal) {
      if (isRunning()) process.kill(pid, signal)
    },
    async ended() {
      if (isRunning()) await exited
    },
  }
}

/** What it called an error, which a server that shuts down in an orderly way buries, and the end. */
function lastWords(log: string): string {
  const errors = log.split('\n').filter(line => /\b(?:ERROR|FATAL)\b|Exception/.test(line))
  return [...errors.slice(0, 10), log.slice(-4000)].join('\n')
}

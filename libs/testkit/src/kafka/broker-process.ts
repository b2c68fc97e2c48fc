// One broker as a process: started, watched until it serves, killed by its id, and never left behind when the tests die.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { waitFor } from '../wait-for.ts'

export interface BrokerProcess {
  readonly pid: number
  readonly running: boolean
  /** Resolves when the broker is registered with its controller and serves. */
  ready(): Promise<void>
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves when the process is gone. */
  ended(): Promise<void>
}

// The shell's standard input is a pipe from this process. It ends with this process, however that dies, and takes the broker along.
const guard = `exec 3<&0
"$@" </dev/null >>"$0" 2>&1 &
broker=$!
echo $broker
( cat <&3 >/dev/null; kill -9 $broker 2>/dev/null ) &
guard=$!
wait $broker
kill $guard 2>/dev/null`

// "Kafka Server started" comes after the broker is unfenced; it is written once per start.
const readyLine = 'Kafka Server started'
const startTimeoutMs = 120_000

export async function spawnBroker(directory: string, command: readonly string[]): Promise<BrokerProcess> {
  const logFile = join(directory, 'broker.log')
  closeSync(openSync(logFile, 'a'))
  const logBefore = readFileSync(logFile).length
  const shell = spawn('/bin/sh', ['-c', guard, logFile, ...command], { stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(shell, 'exit')
  const { value: firstLine } = await createInterface({ input: shell.stdout })[Symbol.asyncIterator]().next()
  const pid = Number(firstLine)
  if (!Number.isSafeInteger(pid)) throw new Error('The broker could not be started: no shell.')

  const isRunning = (): boolean => shell.exitCode === null && shell.signalCode === null
  const started = (): boolean => readFileSync(logFile).subarray(logBefore).includes(readyLine)

  return {
    pid,
    get running() {
      return isRunning()
    },
    async ready() {
      const options = { what: 'a Kafka broker to start', timeoutMs: startTimeoutMs, everyMs: 50 }
      await waitFor(() => started() || !isRunning(), options).catch(() => {})
      if (!started() || !isRunning())
        throw new Error(`A Kafka broker did not start. Its last words:\n${readFileSync(logFile, 'utf8').slice(-4000)}`)
    },
    signal(signal) {
      if (isRunning()) process.kill(pid, signal)
    },
    async ended() {
      if (isRunning()) await exited
    },
  }
}

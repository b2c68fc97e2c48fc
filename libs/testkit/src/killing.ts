import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/dev-servers'
import { createRandom } from './random.ts'

interface Running {
  readonly child: ChildProcess
  /** Resolves with the lines of the output when the process has ended. */
  readonly ended: Promise<readonly string[]>
  readonly started: Promise<void>
}

interface Hooks {
  beforeAll(prepare: () => Promise<void>): void
  afterAll(end: () => Promise<void>): void
}

export interface Kills {
  /** The directory in which the program keeps the log and its local state. */
  readonly directory: string
  readonly seed: string
  readonly size: number
  readonly kills: number
  /** Time from the start of a process to its kill. */
  readonly lifeMs: readonly [least: number, most: number]
  /** Share of the kills that also delete the local state. */
  readonly lossShare: number
}

/**
 * Returns a function that runs and kills `program`. The arguments of the program are the directory, the seed, the size, and `run` or
 * `finish`. The program prints `started` at its start, and `settled` at its end.
 */
export function createKiller(program: URL, { beforeAll, afterAll }: Hooks): (kills: Kills) => Promise<void> {
  const children = new Set<ChildProcess>()
  /** The tests start many processes. Node's compile cache makes these starts faster. */
  let compiled: TemporaryDirectory
  beforeAll(async () => {
    compiled = await temporaryDirectory('svc-kill-compiled-')
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await compiled.remove()
  })

  function start({ directory, seed, size }: Kills, mode: 'run' | 'finish'): Running {
    const env = { NODE_COMPILE_CACHE: compiled.path }
    const args = [fileURLToPath(program), directory, seed, String(size), mode]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
    children.add(child)
    const said: string[] = []
    const started = Promise.withResolvers<void>()
    const lines = createInterface({ input: child.stdout! }).on('line', line => {
      said.push(line)
      if (line === 'started') started.resolve()
    })
    const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => {
      children.delete(child)
      started.reject(new Error(`The process ended before it had started: ${said.join('\n')}`))
      return said
    })
    started.promise.catch(() => {})
    return { child, ended, started: started.promise }
  }

  return async plan => {
    const random = createRandom(`${plan.seed} kills`)
    for (let kill = 0; kill < plan.kills; kill++) {
      const { child, ended, started } = start(plan, 'run')
      await started
      await sleep(random.integer(...plan.lifeMs))
      child.kill('SIGKILL')
      const said = await ended
      if (child.signalCode !== 'SIGKILL') throw new Error(`It ended by itself: ${said.join('\n')}`)
      if (random.next() < plan.lossShare) rmSync(join(plan.directory, 'state'), { recursive: true, force: true })
    }
    const said = await start(plan, 'finish').ended
    if (said.at(-1) !== 'settled') throw new Error(`It did not come to its end: ${said.join('\n')}`)
  }
}

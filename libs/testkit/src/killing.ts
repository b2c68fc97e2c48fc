// kill -9 at random points of whole processes, with losses of the local state between them.
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
  /** Resolves with the lines it has said, when it has ended. */
  readonly ended: Promise<readonly string[]>
  readonly started: Promise<void>
}

/** Of the test runner. */
interface Hooks {
  beforeAll(prepare: () => Promise<void>): void
  afterAll(end: () => Promise<void>): void
}

export interface Kills {
  /** Of the log, and of the state, which may be lost. */
  readonly directory: string
  readonly seed: string
  /** How much the processes append. */
  readonly size: number
  readonly kills: number
  /** Milliseconds that a process lives after it has started. */
  readonly lifeMs: readonly [least: number, most: number]
  /** How often the local state is lost with a process. */
  readonly lossShare: number
}

/**
 * For the tests of one file. `program` is started with directory, seed, size, and `run` or `finish`; it says
 * `started`, and `settled` when it has finished.
 */
export function createKiller(program: URL, { beforeAll, afterAll }: Hooks): (kills: Kills) => Promise<void> {
  const children = new Set<ChildProcess>()
  /** Of what Node.js has compiled: what starts so often is compiled once. */
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
      // The point of the kill is what is random about it; nothing is waited for.
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

// kill -9 at random points of whole processes. What they leave behind must be what one that was never touched leaves behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openEmbeddedLog } from '@svc-server/log'
import { createRandom, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createPlan, killTopics } from './kill-plan.ts'
import { fillProblems } from './model.ts'
import { newestSpans, type Published, problemsOf, readPublished, repairsOf } from './published.ts'

const program = fileURLToPath(new URL('./kill-child.ts', import.meta.url))
const killsPerProcess = 15

const children = new Set<ChildProcess>()
let compiled: TemporaryDirectory
beforeAll(async () => {
  compiled = await temporaryDirectory('svc-propagator-compiled-')
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await compiled.remove()
})

interface Running {
  readonly child: ChildProcess
  /** Resolves with the lines it has said, when it has ended. */
  readonly ended: Promise<readonly string[]>
  readonly started: Promise<void>
}

function start(directory: string, seed: string, mode: 'run' | 'finish'): Running {
  // What starts so often is compiled once.
  const env = { NODE_COMPILE_CACHE: compiled.path }
  const child = spawn(process.execPath, [program, directory, seed, mode], { stdio: ['ignore', 'pipe', 'inherit'], env })
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

async function published(directory: string): Promise<Published> {
  const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics: killTopics })
  try {
    return await readPublished(log)
  } finally {
    await log.close()
  }
}

/** Runs the plan to its end, after so many kills. */
async function run(seed: string, kills: number): Promise<Published> {
  await using directory = await temporaryDirectory('svc-propagator-kill-')
  const random = createRandom(`${seed} kills`)
  for (let kill = 0; kill < kills; kill++) {
    const { child, ended, started } = start(directory.path, seed, 'run')
    await started
    // The point of the kill is what is random about it; nothing is waited for.
    await sleep(random.integer(0, 350))
    child.kill('SIGKILL')
    const said = await ended
    if (child.signalCode !== 'SIGKILL') throw new Error(`It ended by itself: ${said.join('\n')}`)
  }
  const said = await start(directory.path, seed, 'finish').ended
  if (said.at(-1) !== 'settled') throw new Error(`It did not come to its end: ${said.join('\n')}`)
  return published(directory.path)
}

const fills = ({ spans }: Published) => new Map([...newestSpans(spans).values()].map(({ id, fill }) => [id, fill]))

describe.concurrent('F23 · killed -9', () => {
  for (const seed of ['one', 'two', 'three']) {
    test(`${killsPerProcess} times, seed ${seed}: filled as the model and an undisturbed run say, every span once and once per repair`, {
      timeout: 300_000,
    }, async ({ expect }) => {
      const undisturbed = await run(seed, 0)
      const killed = await run(seed, killsPerProcess)
      const plan = createPlan(seed)
      for (const result of [killed, undisturbed]) {
        expect(result.staging.length).toBe(plan.length)
        expect(problemsOf(result)).toEqual([])
        expect(fillProblems(plan, result.spans)).toEqual([])
        expect(repairsOf(result).length).toBeGreaterThan(0)
      }
      expect(fills(killed)).toEqual(fills(undisturbed))
    })
  }
})

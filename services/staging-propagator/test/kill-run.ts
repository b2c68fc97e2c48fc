// kill -9 at random points of whole processes. What they leave behind must be what one that was never touched
// leaves behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { createRandom, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createPlan, killTopics } from './kill-plan.ts'
import { fillProblems } from './model.ts'
import { newestSpans, type Published, problemsOf, readPublished, repairsOf } from './published.ts'

const program = fileURLToPath(new URL('./kill-child.ts', import.meta.url))
const children = new Set<ChildProcess>()

interface Running {
  readonly child: ChildProcess
  /** Resolves with the lines it has said, when it has ended. */
  readonly ended: Promise<readonly string[]>
  readonly started: Promise<void>
}

interface Child extends Pick<KillRun, 'seed' | 'traces'> {
  readonly directory: string
  readonly mode: 'run' | 'finish'
  /** Directory of what Node.js has compiled: what starts so often is compiled once. */
  readonly compiled: string
}

function start({ directory, seed, traces, mode, compiled }: Child): Running {
  const env = { NODE_COMPILE_CACHE: compiled }
  const child = spawn(process.execPath, [program, directory, seed, String(traces), mode], { stdio: ['ignore', 'pipe', 'inherit'], env })
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

export interface KillRun {
  readonly seed: string
  readonly kills: number
  /** Traces of the plan. */
  readonly traces: number
}

/** Runs the plan to its end, after so many kills; now and then the local state is lost as well. */
async function killRun({ seed, kills, traces }: KillRun, compiled: string): Promise<Published> {
  await using directory = await temporaryDirectory('svc-propagator-kill-')
  const random = createRandom(`${seed} kills`)
  const plan = { directory: directory.path, seed, traces, compiled }
  for (let kill = 0; kill < kills; kill++) {
    const { child, ended, started } = start({ ...plan, mode: 'run' })
    await started
    // The point of the kill is what is random about it; nothing is waited for.
    await sleep(random.integer(0, 350))
    child.kill('SIGKILL')
    const said = await ended
    if (child.signalCode !== 'SIGKILL') throw new Error(`It ended by itself: ${said.join('\n')}`)
    if (random.next() < 0.15) rmSync(join(directory.path, 'state'), { recursive: true, force: true })
  }
  const said = await start({ ...plan, mode: 'finish' }).ended
  if (said.at(-1) !== 'settled') throw new Error(`It did not come to its end: ${said.join('\n')}`)
  return published(directory.path)
}

const fills = ({ spans }: Published) => new Map([...newestSpans(spans).values()].map(({ id, fill }) => [id, fill]))

/** For each seed one run without and one with kills, all of them side by side. */
export function killRuns(seeds: readonly string[], { kills, traces }: Pick<KillRun, 'kills' | 'traces'>): void {
  let compiled: TemporaryDirectory
  beforeAll(async () => {
    compiled = await temporaryDirectory('svc-propagator-compiled-')
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await compiled.remove()
  })

  describe.concurrent(`F23 · killed -9 ${kills} times: filled as the model and an undisturbed run say, every span once and once per repair`, () => {
    test.for(seeds)('%s', { timeout: 1_200_000 }, async (seed, { expect }) => {
      const undisturbed = await killRun({ seed, kills: 0, traces }, compiled.path)
      const killed = await killRun({ seed, kills, traces }, compiled.path)
      const plan = createPlan(seed, traces)
      for (const result of [killed, undisturbed]) {
        expect(result.staging.length).toBe(plan.length)
        expect(problemsOf(result)).toEqual([])
        expect(fillProblems(plan, result.spans)).toEqual([])
        expect(repairsOf(result).length).toBeGreaterThan(0)
      }
      expect(fills(killed)).toEqual(fills(undisturbed))
    })
  })
}

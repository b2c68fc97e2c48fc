// Kills whole processes with kill -9 at random points. The result must equal the result of a run without kills.
import { join } from 'node:path'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { createKiller, type Kills, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createPlan, killTopics } from './kill-plan.ts'
import { fillProblems } from './model.ts'
import { newestSpans, type Published, problemsOf, readPublished, repairsOf } from './published.ts'

async function published(directory: string): Promise<Published> {
  const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics: killTopics })
  try {
    return await readPublished(log)
  } finally {
    await log.close()
  }
}

const fills = ({ spans }: Published) => new Map([...newestSpans(spans).values()].map(({ id, fill }) => [id, fill]))

interface KillRuns {
  readonly kills: number
  readonly traces: number
}

/** Runs each seed first without kills and then with kills. Different seeds run at the same time. */
export function killRuns(seeds: readonly string[], { kills, traces }: KillRuns): void {
  const kill = createKiller(new URL('./kill-child.ts', import.meta.url), { beforeAll, afterAll })

  /** Runs one plan in a process that is killed `kills` times. Some kills also delete the local state. */
  async function killRun(run: Pick<Kills, 'seed' | 'kills'>): Promise<Published> {
    await using directory = await temporaryDirectory('svc-propagator-kill-')
    await kill({ ...run, directory: directory.path, size: traces, lifeMs: [0, 350], lossShare: 0.15 })
    return published(directory.path)
  }

  describe.concurrent(`F23 · killed -9 ${kills} times: spans are filled as in the model and in an undisturbed run, each once and once per repair`, () => {
    test.for(seeds)('%s', { timeout: 1_200_000 }, async (seed, { expect }) => {
      const undisturbed = await killRun({ seed, kills: 0 })
      const killed = await killRun({ seed, kills })
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

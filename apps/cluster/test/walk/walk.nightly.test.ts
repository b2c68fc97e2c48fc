// Performs the upgrade from v3 and the way back as an operator does (contract §9.4). Meanwhile, clients send, change and delete data. At
// each switch of the write mode, the test kills processes.
import { setTimeout as sleep } from 'node:timers/promises'
import { groupNames } from '@svc-server/modes/names'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { openTestCluster } from '../cluster.ts'
import { openAdministrator } from './administrator.ts'
import { createChanges } from './changes.ts'
import { createClient } from './client.ts'
import { command, statements } from './operator.ts'
import { createProcesses, type Mode, startVariables } from './processes.ts'
import { storedIn } from './tables.ts'
import { startTraffic } from './traffic.ts'
import { expectV3Reads, v3Statements } from './v3.ts'

const eventsTables = ['events_full', 'events_core']
const stepMs = 3_000
const burstMs = 2_000

const settings = {
  ...startVariables('legacy'),
  SVC_CLUSTER_APIS: '2',
  SVC_PROPAGATION_WINDOW_SECONDS: '2',
  SVC_PROPAGATION_GRACE_MS: '500',
  SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
}

interface Step {
  readonly name: string
  readonly status: string
}

/** The test waits this long after `check`, because flags and deletions reach the tables later than rows. */
const settleMs = 120_000

test('from schema 37 through legacy, dual and the backfill to events_only, and through dual back to schema 37, no table loses data and no deleted data reappears', async () => {
  const cluster = await openTestCluster(settings)
  const administrator = await openAdministrator(cluster.running)
  try {
    const processes = createProcesses(cluster.running, 'legacy', [cluster.running.backfillRunners])

    await processes.stopAll()
    await command(cluster, 'migrate', 'down', '--to', '37', '--yes')
    await statements(cluster, v3Statements(Date.now(), ['v3', 'v3-deleted']))
    await administrator.makeDatasetItem('walk-item')
    await processes.startAll('legacy')

    const client = createClient(cluster.running, processes)
    const changes = createChanges({ cluster, client, processes, administrator })
    let isBackfilled = false
    let isTableDropped: readonly string[] = []
    await changes.makeProject('project-legacy')
    const traffic = startTraffic(cluster.running, client, changes)

    async function live(mode: Mode): Promise<void> {
      const before = traffic.accepted.length
      await sleep(stepMs)
      await processes.killSome()
      await changes.deleteProject()
      await sleep(stepMs)
      const inMode = traffic.accepted.slice(before).filter(each => each.mode === mode)
      expect(inMode.length, `accepted in ${mode}`).toBeGreaterThan(20)
    }

    async function problems(): Promise<object> {
      const stored = await storedIn(cluster, isTableDropped)
      return { missing: stored.missing(changes, isBackfilled), unwanted: stored.unwanted(changes), twice: stored.twice }
    }
    const none = { missing: [], unwanted: [], twice: [] }

    async function nothingLost(after: string): Promise<void> {
      await traffic.pause()
      expect(traffic.broken).toEqual([])
      await command(cluster, 'check', '--wait', '180')
      let found: object = {}
      const startedAt = performance.now()
      await waitFor(async () => JSON.stringify((found = await problems())) === JSON.stringify(none), {
        ...{ what: 'everything to be as it was asked for', timeoutMs: settleMs, everyMs: 1_000 },
      }).catch(() => undefined)
      expect(found, after).toEqual(none)
      const { traces, scores } = changes.deleted
      console.info(
        `${after}: ${changes.accepted.length} accepted, ${traces.size} traces and ${scores.size} scores deleted, ${changes.flags.size} flagged; as asked for ${((performance.now() - startedAt) / 1000).toFixed(1)} s after the check`,
      )
    }

    async function backfilled(): Promise<void> {
      let steps: readonly Step[] = []
      const isDone = async () => {
        traffic.resume()
        await sleep(burstMs)
        await traffic.pause()
        steps = (await command(cluster, 'backfill', 'status', '--json'))
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as Step)
        expect(steps.filter(({ status }) => status === 'failed')).toEqual([])
        // Only an operator starts the last step, so the test does not wait for this step.
        return steps.slice(0, -1).every(({ status }) => status === 'finished')
      }
      await waitFor(isDone, { what: 'the backfill to be finished', timeoutMs: 1_500_000, everyMs: 10_000 }).catch(cause => {
        throw new Error(JSON.stringify(steps), { cause })
      })
      isBackfilled = true
    }

    await live('legacy')
    await nothingLost('legacy')
    const way = [{ mode: 'dual' }, { mode: 'events_only' }, { mode: 'dual' }] as const
    for (const [step, { mode }] of way.entries()) {
      traffic.resume()
      await changes.makeProject(`project-${step}`)
      await processes.switchTo(mode)
      await live(mode)
      if (!isBackfilled) {
        await nothingLost(mode)
        await backfilled()
      }
      await nothingLost(isBackfilled ? `${mode}, backfilled` : mode)
      if (step === 0) await command(cluster, 'backfill', 'verify')
    }
    expect(traffic.refused.length).toBeGreaterThan(0)
    expect(traffic.refused.filter(mode => mode !== 'events_only' && mode !== null)).toEqual([])

    const isCarriedOut = async () => {
      const { lag } = JSON.parse(await command(cluster, 'topics', '--json')) as { lag: readonly { group: string; lagRecords: number }[] }
      return lag.every(({ group, lagRecords }) => group !== groupNames.deletions || lagRecords === 0)
    }
    await waitFor(isCarriedOut, { what: 'what was asked for to be carried out', timeoutMs: 1_200_000, everyMs: 5_000 })
    expect(await command(cluster, 'deletions')).toMatch(/^No deletion/)
    await processes.stopAll()
    await command(cluster, 'migrate', 'down', '--to', '37', '--yes')
    isTableDropped = eventsTables
    expect(await problems()).toEqual(none)
    await expectV3Reads(cluster, 'v3-trace', {
      trace: { name: 'of v3', user_id: 'alice', output: 'late' },
      observations: [{ id: 'v3-span', name: 'of v3', input: 'question', output: 'answer' }],
      scores: [{ id: 'v3-score', value: 0.5 }],
    })
    const { traces, scores } = changes.deleted
    const whole = ({ kind, id, mode }: (typeof traffic.accepted)[number]) =>
      kind === 'trace' && mode === 'dual' && !traces.has(id) && !scores.has(id.replace('trace', 'score'))
    await expectV3Reads(cluster, traffic.accepted.find(whole)!.id, {
      trace: { name: 'legacy' },
      observations: [{}, {}],
      scores: [{ name: 'quality' }],
    })
  } finally {
    await administrator.close()
    await cluster.close()
  }
}, 3_600_000)

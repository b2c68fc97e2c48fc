// Migrates years of history in write mode `dual`. Meanwhile, clients send live traffic, and the test kills two runners and the column
// store. The backfill pauses when live traffic is slow. On a busy machine, increase SVC_TEST_BACKFILL_ROUND_MS, so that clients send less
// live traffic.
import { setTimeout as sleep } from 'node:timers/promises'
import { backfillStatus } from '@svc-server/backfill/status'
import { openRelationalStore } from '@svc-server/relational/store'
import { createRandom, sized, v3Store } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { openTestCluster } from '../cluster.ts'
import { createClient } from '../walk/client.ts'
import { command, runSvc, statements } from '../walk/operator.ts'
import { createProcesses, startVariables } from '../walk/processes.ts'
import { startTraffic } from '../walk/traffic.ts'
import { knownTraces, startLateChanges } from './late-changes.ts'
import { countRows, type Readable, readableOf, watchInserts, writtenTwice } from './raw-rows.ts'
import { killWorking, progressOf } from './runners.ts'

const observations = Number(process.env['SVC_TEST_BACKFILL_OBSERVATIONS'] ?? sized(200_000, 20_000))
const traces = Math.ceil(observations / 25)
const runItems = Math.ceil(observations / 250)
const months = 14
const kills = 5
const pollMs = 2_000
/** Interval between rounds of live traffic. */
const roundMs = Number(process.env['SVC_TEST_BACKFILL_ROUND_MS'] ?? 2_000)

const settings = {
  ...startVariables('dual'),
  ...Object.fromEntries(['APIS', 'GATEWAYS', 'WRITERS', 'PROPAGATORS'].map(kind => [`SVC_CLUSTER_${kind}`, '1'])),
  SVC_CLUSTER_BACKFILL_RUNNERS: '2',
  SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'false',
  SVC_PROPAGATION_WINDOW_SECONDS: '2',
  SVC_PROPAGATION_GRACE_MS: '500',
  SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
  COLUMNSTORE_REQUEST_TIMEOUT_MS: '10m',
  SVC_LOG_LEVEL: 'info',
}

const monthOf = (ms: number) => Number(new Date(ms).toISOString().slice(0, 7).replace('-', ''))

const startedAt = performance.now()
const say = (what: string) => console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(6)} s  ${what}`)

test(
  `${observations} observations over ${months} months, beside live traffic and kills: every row once, proven, the newest month first`,
  async () => {
    const cluster = await openTestCluster(settings)
    const { running } = cluster
    const relational = await openRelationalStore({ kind: 'postgres', url: running.operatorEnv['DATABASE_URL']! })
    const stepsOf = () => backfillStatus(relational, Date.now())
    const random = createRandom(Number(process.env['SVC_TEST_SEED'] ?? 1))
    try {
      const processes = createProcesses(running, 'dual')
      await processes.stopAll()
      for (const runner of running.backfillRunners) expect(await runner.stop()).toBe(0)
      await command(cluster, 'migrate', 'down', '--to', '37', '--yes')
      const endMs = Date.now() - 3_600_000
      const [newest, oldest] = [endMs, Date.UTC(new Date(endMs).getUTCFullYear(), new Date(endMs).getUTCMonth() - months + 1, 1)].map(
        monthOf,
      ) as [number, number]
      await statements(cluster, v3Store({ observations, traces, runItems, months, endMs, projectId: running.projectId }))
      const known = await knownTraces(cluster, 1_200)
      say(
        `a store of v3 is there: ${JSON.stringify(await cluster.query('SELECT (SELECT count() FROM traces) AS traces, (SELECT count() FROM observations) AS observations, (SELECT count() FROM dataset_run_items_rmt) AS items, (SELECT uniqExact(project_id) FROM observations) AS projects'))}`,
      )

      await processes.startAll('dual')
      await watchInserts(cluster)
      const traffic = startTraffic(running, createClient(running, processes), null, roundMs)
      const beganMs = Date.now()
      for (const runner of running.backfillRunners) await runner.start({ SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'true' })
      const changes = startLateChanges(cluster, known, roundMs)
      const touched = () => [...changes.updated, ...changes.deleted]

      const faults = Array.from({ length: kills }, () => ({ at: random.next() * 3.9, what: 'runner' as const }))
      const moments = [...faults, { at: random.next() * 3.9, what: 'column store' as const }].sort((a, b) => a.at - b.at)
      const monthsSeen: number[] = []
      let order: readonly [newest: Readable, oldest: Readable] | undefined
      let said = ''
      for (let killed = 0; ; ) {
        const steps = await stepsOf()
        expect(steps.map(({ failedReason }) => failedReason)).toEqual(steps.map(() => null))
        if (steps.slice(0, 4).every(({ status }) => status === 'finished')) {
          expect(killed, 'kills').toBe(moments.length)
          break
        }
        // Step 3 writes child observations, newest month first. All months after the step's current month are therefore complete.
        const [, , children] = steps
        if (children!.status === 'running' && children!.month !== null && monthsSeen.at(-1) !== children!.month) {
          monthsSeen.push(children!.month)
          if (children!.month < newest && children!.month > oldest && order === undefined)
            order = [await readableOf(cluster, newest, touched(), beganMs), await readableOf(cluster, oldest, touched(), beganMs)]
        }
        const next = moments[killed]
        if (next !== undefined && progressOf(steps) >= next.at) {
          if (next.what === 'column store') {
            say(`kills the column store at ${progressOf(steps).toFixed(2)} of 4 steps`)
            process.kill(running.stores.engine!.pid!, 'SIGKILL')
            killed += 1
          } else {
            const who = await killWorking(cluster, random.integer(0, 3_000))
            if (who !== null) {
              say(`has killed ${who} at ${progressOf(steps).toFixed(2)} of 4 steps`)
              killed += 1
            }
          }
        }
        const waits = cluster.lines.findLast(line => line.startsWith('backfill') && /backfill (waits|is running)/.test(line))
        const told = `${steps.find(({ status }) => status === 'running')?.name.slice(9, 18)} ${Math.floor(progressOf(steps) * 10)} ${waits?.slice(waits.indexOf('The backfill')).replace(/[\d.]+/, '…')}`
        if (told !== said) say(`${progressOf(steps).toFixed(2)} of 4 steps; ${waits?.slice(waits.indexOf('The backfill'))}`)
        said = told
        await sleep(pollMs)
      }
      say(
        `the backfill is finished: ${JSON.stringify((await stepsOf()).map(({ name, rows, chunks }) => [name.slice(9, 18), rows, chunks]))}`,
      )
      expect(monthsSeen, 'months of step 3').toEqual([...monthsSeen].sort((a, b) => b - a))
      const [ofNewest, ofOldest] = order!
      say(
        `when step 3 had left ${newest}, ${ofNewest.there} of its ${ofNewest.expected} were readable, and ${ofOldest.there} of ${oldest}; months seen: ${monthsSeen.join(' ')}`,
      )
      expect(ofNewest.there, 'of the newest month').toBe(ofNewest.expected)
      expect(ofNewest.expected).toBeGreaterThan(0)
      expect(ofOldest.there, 'of the oldest month by then').toBe(0)

      await changes.stop()
      await traffic.pause()
      expect([...traffic.broken, ...changes.broken]).toEqual([])
      say(
        `${traffic.accepted.length} accepted beside it, ${changes.updated.size} traces updated and ${changes.deleted.size} deleted of those before`,
      )
      await command(cluster, 'check', '--wait', '300')

      const verified = await runSvc(cluster, 'backfill', 'verify', '--json')
      say(`verify: ${verified.out.trim().split('\n').at(-1)}`)
      expect([verified.code, verified.error]).toEqual([0, ''])

      for (const table of ['events_full', 'events_core']) {
        const { children, roots } = await countRows(cluster, table, touched(), beganMs)
        say(`${table}: ${children[1]} children of ${children[0]}, ${roots[1]} roots of ${roots[0]}`)
        expect([children[1], roots[1]], table).toEqual([children[0], roots[0]])
      }
      expect(await writtenTwice(cluster, touched()), 'rows that were written twice').toBe(0)
      say('every raw row is there once')
    } finally {
      await relational.close()
      await cluster.close()
    }
  },
  4 * 3_600_000,
)

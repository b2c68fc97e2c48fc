// The way up from v3 and the way back, contract §9.4, as an operator goes it: live traffic of old and new SDKs
// and of the legacy API all along, each switch a rolling one, processes killed in between.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openTestCluster, runScript, type TestCluster } from '../cluster.ts'
import { createProcesses, type Mode, startVariables } from './processes.ts'
import { storedIn } from './tables.ts'
import { startTraffic } from './traffic.ts'
import { expectV3Reads, v3Statements } from './v3.ts'

const svc = new URL('../../../svc/src/main.ts', import.meta.url).href
const eventsTables = ['events_full', 'events_core']
const stepMs = 3_000

const settings = {
  ...startVariables('legacy'),
  SVC_CLUSTER_APIS: '2',
  SVC_PROPAGATION_WINDOW_SECONDS: '2',
  SVC_PROPAGATION_GRACE_MS: '500',
  SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
}

async function command(cluster: TestCluster, ...argv: string[]): Promise<string> {
  const done = await runScript(svc, cluster.running.operatorEnv, ...argv)
  expect(done, `${done.out}${done.error}`).toMatchObject({ code: 0 })
  return done.out
}

async function statements(cluster: TestCluster, sql: readonly string[]): Promise<void> {
  const { url, user, password, database } = cluster.running.stores.columnStore
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  for (const one of sql) {
    const response = await fetch(`${url}/?database=${database}`, { method: 'POST', headers: { authorization }, body: one })
    expect([response.status, await response.text()]).toEqual([200, ''])
  }
}

test('from schema 37 with data by legacy and dual to events_only, and by dual back to schema 37: nothing is lost in any table', async () => {
  const cluster = await openTestCluster(settings)
  try {
    const processes = createProcesses(cluster.running, 'legacy')

    // Schema 37 with v3's data.
    await processes.stopAll()
    await command(cluster, 'migrate', 'down', '--to', '37', '--yes')
    await statements(cluster, v3Statements(Date.now()))
    await processes.startAll('legacy')

    const traffic = startTraffic(cluster.running, processes)

    async function live(mode: Mode): Promise<void> {
      const before = traffic.accepted.length
      await sleep(stepMs)
      await processes.killSome()
      await sleep(stepMs)
      const inMode = traffic.accepted.slice(before).filter(each => each.mode === mode)
      expect(inMode.length, `accepted in ${mode}`).toBeGreaterThan(20)
    }

    async function nothingLost(): Promise<void> {
      await traffic.pause()
      expect(traffic.broken).toEqual([])
      await command(cluster, 'check', '--wait', '180')
      const stored = await storedIn(cluster)
      expect(stored.missing(traffic.accepted)).toEqual([])
      expect(stored.twice).toEqual([])
    }

    await live('legacy')
    await nothingLost()
    for (const { mode } of [{ mode: 'dual' }, { mode: 'events_only' }, { mode: 'dual' }] as const) {
      traffic.resume()
      await processes.switchTo(mode)
      await live(mode)
      await nothingLost()
    }
    // Only the last mode has no place for events of the legacy API.
    expect(traffic.refused.length).toBeGreaterThan(0)
    expect(traffic.refused.filter(mode => mode !== 'events_only' && mode !== null)).toEqual([])

    // Back: the old tables have all that was accepted for them, and v3 reads them.
    await processes.stopAll()
    await command(cluster, 'migrate', 'down', '--to', '37', '--yes')
    const back = await storedIn(cluster, eventsTables)
    expect(back.missing(traffic.accepted)).toEqual([])
    await expectV3Reads(cluster, 'v3-trace', {
      trace: { name: 'of v3', user_id: 'alice', output: 'late' },
      observations: [{ id: 'v3-span', name: 'of v3', input: 'question', output: 'answer' }],
      scores: [{ id: 'v3-score', value: 0.5 }],
    })
    const traces = traffic.accepted.filter(({ kind, mode }) => kind === 'trace' && mode === 'dual')
    await expectV3Reads(cluster, traces[0]!.id, { trace: { name: 'legacy' }, observations: [{}, {}], scores: [{ name: 'quality' }] })
  } finally {
    await cluster.close()
  }
}, 900_000)

// Two gateways and two writers share the work. When a process is killed, another takes over, and no span is lost.
import { inNightly, sized, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestCluster, requestsOf, runScript, sendAll, spansOf, type TestCluster } from './cluster.ts'
import { killRuns } from './kill-run.ts'
import { propagatorRuns } from './propagator-runs.ts'

let cluster: TestCluster
let acknowledged = 0

const send = async (seed: string, count: number) => {
  const requests = requestsOf(seed, count)
  await sendAll(cluster.running, requests)
  acknowledged += spansOf(requests)
}

const stored = async () => {
  await waitFor(async () => (await cluster.rows()).spans >= acknowledged, {
    what: `${acknowledged} spans`,
    everyMs: 100,
  })
  expect(await cluster.rows()).toEqual({ rows: acknowledged, spans: acknowledged })
}

beforeAll(async () => {
  cluster = await openTestCluster({
    SVC_PROPAGATION_WINDOW_SECONDS: '4',
    SVC_PROPAGATION_GRACE_MS: '500',
    SVC_LEDGER_AUDIT_MS: '1000',
    // A killed process keeps its partitions until its session times out. After each kill, the test waits for the session timeout.
    SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
  })
})
afterAll(() => cluster?.close())

test('replicas that start together migrate the column store once', async () => {
  const applied = await cluster.query(
    "SELECT list, version, count() AS n FROM svc_migrations WHERE state = 'applying' GROUP BY list, version HAVING n > 1",
  )
  expect(applied).toEqual([])
  expect(await cluster.query("SELECT name FROM system.tables WHERE database = 'svc' AND name = 'events_full'")).toHaveLength(1)
})

test('spans through both gateways become one row each, and both writers store some of them', async () => {
  const { writers, gateways } = cluster.running
  let pulse = 0
  await waitFor(
    async () => {
      await send(`pulse ${pulse++}`, 10)
      const shares = await Promise.all(writers.map(({ probeUrl }) => cluster.metric('svc_writer_spans_total{outcome="stored"', [probeUrl])))
      return shares.every(share => share > 0)
    },
    { what: 'both writers to store spans', everyMs: 500 },
  )
  await stored()
  const accepted = await Promise.all(
    gateways.map(({ probeUrl }) => cluster.metric('svc_gateway_spans_total{outcome="accepted"', [probeUrl])),
  )
  expect(accepted.reduce((sum, spans) => sum + spans, 0)).toBe(acknowledged)
  for (const spans of accepted) expect(spans).toBeGreaterThan(0)
})

test('writers serve worker health, and every process serves probes and metrics', async () => {
  const { gateways, writers } = cluster.running
  for (const { probeUrl } of writers) {
    const health = await fetch(`${probeUrl}/api/health?failIfQueueConsumptionStuck=true`)
    expect([health.status, await health.json()]).toMatchObject([200, { status: 'ok', queueConsumption: { stuck: false } }])
  }
  for (const { probeUrl } of [...gateways, ...writers]) {
    for (const probe of ['startup', 'live', 'ready', 'progress'])
      expect((await fetch(`${probeUrl}/health/${probe}`)).status, probe).toBe(200)
  }
})

test('svc works on the shared stores, and every gateway knows a key that it creates', async () => {
  const { operatorEnv, gateways } = cluster.running
  const svc = new URL('../../svc/src/main.ts', import.meta.url).href
  const topics = await runScript(svc, operatorEnv, 'topics')
  expect(topics).toMatchObject({ code: 0, error: '' })
  expect(topics.out).toMatch(/svc\.writer +spans\.direct +7/)

  const created = await runScript(svc, operatorEnv, 'keys', 'create', '--project', 'default-project', '--json')
  expect(created).toMatchObject({ code: 0, error: '' })
  const { publicKey, secretKey } = JSON.parse(created.out) as { publicKey: string; secretKey: string }
  const requests = requestsOf('with another key', 2)
  await sendAll({ gateways, publicKey, secretKey }, requests)
  acknowledged += spansOf(requests)
  await stored()

  const { DATABASE_URL: _, ...withoutDatabase } = operatorEnv
  expect(await runScript(svc, withoutDatabase, 'keys', 'list')).toMatchObject({
    code: 1,
    error: expect.stringContaining('DATABASE_URL is not set'),
  })
})

inNightly(() =>
  test('F22 · a writer that gets SIGTERM in the middle of its work exits with 0, the other writer takes over, and every span is stored once', async () => {
    const [first, second] = cluster.running.writers
    const chunks = () => cluster.metric('svc_writer_chunks_total{outcome="acknowledged"', [first!.probeUrl])
    const before = await chunks()
    // A gateway can send all its spans to a single partition for a while. If the other writer owns this partition, the first writer gets no
    // work. The test therefore sends spans until the first writer has stored a chunk.
    let atWork = false
    const sending = (async () => {
      for (let pulse = 0; !atWork; pulse++) await send(`before the stop ${pulse}`, 10)
      await send('under load', 120)
    })()
    await waitFor(async () => (await chunks()) > before, { what: 'the writer to be at work' }).finally(() => {
      atWork = true
    })
    expect(await first!.stop()).toBe(0)
    await sending
    await stored()

    await send('to the one that is left', 10)
    await stored()
    expect(second!.running).toBe(true)

    await first!.start()
    await send('to both again', 10)
    await stored()
  }),
)

test('when a gateway stops, the other gateway responds', async () => {
  const [first, second] = cluster.running.gateways
  const sending = send('over one gateway', 40)
  expect(await first!.stop()).toBe(0)
  await sending
  expect((await fetch(`${second!.probeUrl}/health/ready`)).status).toBe(200)
  await stored()
  await first!.start()
})

describe('propagators', () => propagatorRuns(() => cluster))

describe('kills', () => killRuns(() => cluster, { undisturbed: 2_000, killed: sized(6_000, 1_500), kills: 1, seed: 4 }))

// Sends events of the legacy API on real brokers, and kills one of two mergers.
import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestCluster, type TestCluster } from './cluster.ts'
import { deletionRun } from './deletion-run.ts'
import { dual } from './merged-settings.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await openTestCluster({ ...dual, SVC_CLUSTER_MERGERS: '2' })
})
afterAll(() => cluster?.close())

const startedAt = Date.now() - 60_000
const perRequest = 40
const perRun = 100

const eventsOf = (trace: string): readonly object[] => {
  const event = (at: number, type: string, body: object) => ({
    id: `${trace}-${at}`,
    timestamp: new Date(startedAt + at).toISOString(),
    type,
    body,
  })
  return [
    event(0, 'trace-create', { id: trace, name: 'first', userId: 'alice' }),
    event(1, 'span-create', { id: `${trace}-span`, traceId: trace, name: 'work' }),
    event(2, 'span-update', { id: `${trace}-span`, output: 'done' }),
    event(3, 'trace-create', { id: trace, name: 'last', tags: ['a'] }),
  ]
}

async function post(batch: readonly object[]): Promise<void> {
  const { publicKey, secretKey, apis } = cluster.running
  const response = await fetch(`${apis[0]!.url}/api/public/ingestion`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ batch }),
  })
  const answer = (await response.json()) as { readonly errors: readonly object[] }
  expect([response.status, answer.errors]).toEqual([207, []])
}

async function send(traces: readonly string[]): Promise<void> {
  const all = traces.map(eventsOf)
  const events = [0, 1, 2, 3].flatMap(part => all.map(each => each[part]!))
  for (let from = 0; from < events.length; from += perRequest) await post(events.slice(from, from + perRequest))
}

const count = async (sql: string) => Number((await cluster.query<{ n: string }>(sql))[0]?.n)

test('F23 · a merger is killed while events are merged: the other one continues, and nothing is lost or incomplete', async () => {
  const { mergers } = cluster.running
  const traces = (run: string) => Array.from({ length: perRun }, (_, number) => `${run}-${number}`)
  await send(traces('first'))
  const merged = (probe: string) => cluster.metric('svc_merger_entities_total', [probe])
  for (const { probeUrl } of mergers) await waitFor(async () => (await merged(probeUrl)) > 0, { what: 'both to merge' })
  await Promise.all([
    send(traces('second')),
    (async () => {
      mergers[0]!.signal('SIGKILL')
      await mergers[0]!.ended()
    })(),
  ])
  await mergers[0]!.start()
  await send(traces('third'))

  const whole = {
    traces: "SELECT count() AS n FROM traces FINAL WHERE name = 'last' AND user_id = 'alice' AND tags = ['a'] AND is_deleted = 0",
    observations: "SELECT count() AS n FROM observations FINAL WHERE name = 'work' AND output = 'done' AND is_deleted = 0",
    spans:
      "SELECT count() AS n FROM events_full FINAL WHERE name = 'work' AND output = 'done' AND startsWith(parent_span_id, 't-') AND is_deleted = 0",
    roots: "SELECT count() AS n FROM events_full FINAL WHERE name = 'last' AND startsWith(span_id, 't-') AND is_deleted = 0",
  }
  for (const [what, sql] of Object.entries(whole))
    await waitFor(async () => (await count(sql)) === 3 * perRun, { what: `all ${what}`, timeoutMs: 120_000, everyMs: 500 })
  expect(await count('SELECT uniqExact(id) AS n FROM traces')).toBe(3 * perRun)
}, 400_000)

test('traces deleted through the API disappear from every table, on every path, and do not return when they are resent', async () => {
  await deletionRun(cluster, { traces: 4, deleted: 2, kills: 0, untilDone: false })
}, 400_000)

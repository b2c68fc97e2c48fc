import { createColumnStore } from '@svc-server/column-store/client'
import { groupNames, topicNames } from '@svc-server/modes/names'
import {
  type ColumnStoreFault,
  type ColumnStoreProxy,
  createColumnStoreProxy,
  type ProxiedRequest,
  sized,
  waitFor,
} from '@svc-server/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eachTestHasItsWorld, engine, world } from './each-world.ts'
import { entityRecords, rawRows, sendOfEach } from './entities.ts'
import { killAt, withInsert } from './kill.ts'
import { now, password } from './world.ts'

let proxy: ColumnStoreProxy

// Hooks end in reverse order. The proxy therefore still exists when a world closes.
beforeEach(async () => {
  proxy = await createColumnStoreProxy(engine.url)
})
afterEach(() => proxy.close())
eachTestHasItsWorld()

const stored = (rows: number) => ({ full: rows, core: rows, distinct: rows })
const throughProxy = () =>
  createColumnStore({ url: proxy.url, user: engine.user, password, database: world.columnStore.database, requestTimeoutMs: 20_000 })

const intoEvents = ({ isInsert, query }: ProxiedRequest) => isInsert && query.includes('events_full')

/** For each table, including the ledger, the first `times` inserts fail. */
function failEach(fault: ColumnStoreFault, times: number): void {
  const left = new Map<string, number>()
  proxy.onRequest(({ isInsert, table }) => {
    if (!isInsert || table === null) return null
    const more = left.get(table) ?? times
    left.set(table, more - 1)
    return more > 0 ? fault : null
  })
}

async function startThroughProxy(config = {}) {
  const columnStore = throughProxy()
  const writer = world.writer({ columnStore, config })
  await writer.service.start()
  return { ...writer, columnStore }
}

test('without faults a chunk costs one insert, one query for the engine’s identity and one ledger row, but no probe', async () => {
  const sent = await world.send({ count: 100 })
  // The test expects no query of events_core. An audit would send such a query, so the test disables the audits.
  const { columnStore } = await startThroughProxy({ ledgerAuditMs: 3_600_000 })
  await world.settled()
  expect(proxy.requests.filter(request => request.isInsert).map(intoEvents)).toEqual([true, false])
  expect(proxy.requests.filter(request => request.query.includes('events_core'))).toEqual([])
  expect(await world.counts()).toEqual(stored(sent))
  await columnStore.close()
})

test('the stamp advances only when everything acknowledged before it is readable, also while inserts fail', async () => {
  const columnStore = throughProxy()
  const writer = world.writer({ columnStore, lagIntervalMs: 20 })
  const acknowledged: { startMs: number; atMs: number }[] = []
  async function complete(): Promise<number> {
    const untilMs = (await writer.metric('svc_complete_until_timestamp_seconds', 'path="direct"')) * 1000
    const due = acknowledged.filter(({ atMs }) => atMs < untilMs)
    const rows = await world.columnStore.query<{ ms: string }>(
      'SELECT toString(toUnixTimestamp64Milli(start_time)) AS ms FROM events_full FINAL',
    )
    const readable = new Set(rows.map(({ ms }) => Number(ms)))
    expect(due.filter(({ startMs }) => !readable.has(startMs))).toEqual([])
    return due.length
  }
  await writer.service.start()
  for (let index = 0; index < sized(20, 11); index++) {
    if (index % 7 === 3) failEach({ kind: 'status', status: 503 }, 2)
    await world.send({ count: 1, startMs: now + index })
    acknowledged.push({ startMs: now + index, atMs: Date.now() })
    await complete()
  }
  await waitFor(async () => (await complete()) === acknowledged.length, { what: 'the stamp to pass the last span' })
  await columnStore.close()
})

/** `npm test` runs only the first four cases: one case for each fault id (F12, F13, F36, F08). */
const faults: readonly (readonly [string, ColumnStoreFault])[] = [
  ['F12 · refused connections', { kind: 'refuse' }],
  ['F13 · too many parts', { kind: 'exception', code: 252, type: 'TOO_MANY_PARTS', message: 'Too many parts (3000). Merges are too slow' }],
  ['F36 · disk full', { kind: 'exception', code: 243, type: 'NOT_ENOUGH_SPACE', message: 'Cannot reserve 1.00 MiB, not enough space' }],
  ['F08 · a lost response', { kind: 'drop-answer' }],
  ['F12 · a load balancer without servers', { kind: 'status', status: 503 }],
  ['F13 · memory limit', { kind: 'exception', code: 241, type: 'MEMORY_LIMIT_EXCEEDED', message: 'Memory limit (total) exceeded' }],
  ['F36 · read-only table', { kind: 'exception', code: 242, type: 'TABLE_IS_READ_ONLY', message: 'Table is in readonly mode' }],
]
describe.each(sized(faults, faults.slice(0, 4)))('%s', (_, fault) => {
  test('makes each destination wait, and rows of spans and entities are stored once', async () => {
    const sent = await sendOfEach(world, 100)
    failEach(fault, 3)
    const { metric, bugs, columnStore } = await startThroughProxy()
    await world.settled()
    expect(await rawRows(world)).toEqual(sent)
    expect(await metric('svc_writer_retries_total')).toBeGreaterThan(0)
    expect(await metric('svc_writer_backpressure_seconds_total')).toBeGreaterThan(0)
    expect(bugs).toEqual([])
    await columnStore.close()
  })
})

test('F41 · an insert under a burnt token reports "done" and stores nothing; the next attempt stores the rows, and the writer verifies it', async () => {
  const sent = await world.send({ count: 100 })
  const burnt = new Set<string>()
  // The proxy refuses the first attempt, as if the engine were killed. The writer then repeats the insert with the same token. The proxy
  // confirms this second attempt without passing it on. The proxy thus behaves like an engine that knows the token but has not stored the
  // rows.
  proxy.onRequest(request => {
    const { token } = request
    if (!intoEvents(request) || token === null) return null
    if (burnt.size === 0) {
      burnt.add(token)
      return { kind: 'refuse' }
    }
    return burnt.has(token) ? { kind: 'swallow' } : null
  })
  const { columnStore } = await startThroughProxy()
  await world.settled()
  const tokens = proxy.requests.filter(intoEvents).map(request => request.token!)
  expect(tokens.map(token => token.split('/').at(-1))).toEqual(['0', '0', '1'])
  expect(await world.counts()).toEqual(stored(sent))
  await columnStore.close()
})

test('F41 · the next process also detects a burnt token', async () => {
  const sent = await world.send({ count: 100 })
  const killed = killAt('before insert', world.log, world.columnStore)
  await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
  await killed.reached
  proxy.onRequest(request => (intoEvents(request) && request.token!.endsWith('/0') ? { kind: 'swallow' } : null))
  const { columnStore } = await startThroughProxy()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent))
  await columnStore.close()
})

test('F12 · the engine is killed during a backlog and restarts: everything is stored once, without a restart of the writer', async () => {
  const sent = await sendOfEach(world, 50)
  let spans = 0
  for (let record = 0; record < sized(39, 19); record++) spans += await world.send({ count: 50, partition: record % 2 })
  let inserts = 0
  const columnStore = withInsert(world.columnStore, async request => {
    inserts += 1
    if (inserts === 5 || inserts === sized(12, 5)) process.kill(engine.pid!, 'SIGKILL')
    await world.columnStore.insert(request)
  })
  const writer = world.writer({ columnStore, config: { chunkMaxRows: 100 } })
  await writer.service.start()
  await world.settled(100_000)
  expect(engine.restarts).toBeGreaterThanOrEqual(1)
  const { events_full, events_core, ...old } = sent
  expect(await rawRows(world)).toEqual({ events_full: events_full + spans, events_core: events_core + spans, ...old })
  expect(writer.bugs).toEqual([])
})

test('F12 · while the engine is down, the offset does not advance, buffers are freed, and the intent is kept', async () => {
  const sent = await sendOfEach(world, 100)
  proxy.onRequest(() => ({ kind: 'refuse' }))
  const { metric, health, columnStore } = await startThroughProxy({ retryBudgetMs: 30, progressThresholdMs: 0 })
  await waitFor(async () => (await metric('svc_writer_chunks_total', 'deferred')) >= 3, { what: 'three pauses' })
  for (const [topic, last] of [
    [topicNames.direct, 0],
    [topicNames.entities, 19],
    [topicNames.filled, 19],
  ] as const) {
    const committed = await waitFor(async () => (await world.log.committed(groupNames.writer, topic)).get(0), {
      what: `an intent on ${topic}`,
    })
    expect(committed.offset).toBe(0)
    expect(JSON.parse(committed.metadata)).toMatchObject({ intent: [0, last] })
  }
  expect((await health.evaluate('progress')).status).toBe(503)
  expect((await health.evaluate('ready')).status).toBe(200)
  proxy.heal()
  await world.settled()
  expect(await rawRows(world)).toEqual(sent)
  expect((await health.evaluate('progress')).status).toBe(200)
  await columnStore.close()
})

test('F15 · rows that the schema refuses halt their partitions, and readiness is false until the schema is repaired, without a restart', async () => {
  const spans = await world.send({ count: 100 })
  const merged = entityRecords({ count: 10 })
  await world.log.append(topicNames.entities, merged.records)
  const tables = ['events_full', 'traces']
  for (const table of tables) await world.columnStore.command(`RENAME TABLE ${table} TO ${table}_elsewhere`)
  const writer = world.writer()
  await writer.service.start()
  await waitFor(async () => (await writer.metric('svc_writer_halted')) === 2, { what: 'the halt of both' })
  expect(await world.backlog()).toBe(1 + merged.records.length)
  const ready = await writer.health.evaluate('ready')
  expect(ready.status).toBe(503)
  expect(JSON.stringify(ready.body)).toContain('migrations')
  for (const table of tables) await world.columnStore.command(`RENAME TABLE ${table}_elsewhere TO ${table}`)
  await world.settled()
  const { trace: traces, observation: observations } = merged.rows
  expect(await rawRows(world)).toEqual({ events_full: spans, events_core: spans, traces, observations })
  expect((await writer.health.evaluate('ready')).status).toBe(200)
  expect(await writer.metric('svc_writer_halted')).toBe(0)
  expect(writer.bugs).toEqual([])
  expect(await world.deadLetters()).toEqual([])
})

const ofNobodysList = { kind: 'exception', code: 198, type: 'DNS_ERROR', message: 'Temporary failure in name resolution' } as const

const places: readonly (readonly [string, (request: ProxiedRequest) => boolean])[] = [
  ['the insert of spans', intoEvents],
  ['the insert of entities', ({ isInsert, table }) => isInsert && table !== null && /traces|observations/.test(table)],
  ['the ledger', ({ isInsert, query }) => isInsert && query.includes('ingest_ledger')],
  ['the query for the engine’s identity', ({ query }) => query.includes('uptime()')],
]
test.each(sized(places, places.slice(0, 1)))(
  'F48 · an unlisted error code at %s: the partition pauses, retries and stores once, without a restart',
  async (_, hits) => {
    const sent = await sendOfEach(world, 100)
    let refusals = 0
    proxy.onRequest(request => (hits(request) && refusals++ < 3 ? ofNobodysList : null))
    const { metric, bugs, columnStore } = await startThroughProxy()
    await world.settled()
    expect(refusals).toBeGreaterThan(3)
    expect(await rawRows(world)).toEqual(sent)
    expect(await metric('svc_writer_halted')).toBe(0)
    expect(bugs).toEqual([])
    await columnStore.close()
  },
)

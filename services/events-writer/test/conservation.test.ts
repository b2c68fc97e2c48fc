// The ledger, its gauge and the check, on real stores: they say 0 while all is well, and what lacks where when something does.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { checkConservation } from '@svc-server/conservation/check/check'
import type { Engine } from '@svc-server/embedded-engine'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { waitFor } from '@svc-server/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { killAt, type Point } from './kill.ts'
import { createWorld, now, type RunningWriter, spanBatch, startTestEngine, type World } from './world.ts'

let engine: Engine
let stopEngine: () => Promise<void>
let world: World

beforeAll(async () => {
  ;({ engine, stop: stopEngine } = await startTestEngine())
})
afterAll(() => stopEngine())
beforeEach(async () => {
  world = await createWorld(engine)
})
afterEach(() => world.close())

interface LedgerRow {
  readonly first: number
  readonly last: number
  readonly records: number
  readonly spans: number
  readonly rows: number
  readonly dead: number
}

const ledger = async (partition = 0, final = 'FINAL'): Promise<LedgerRow[]> =>
  (
    await world.columnStore.query<Record<keyof LedgerRow, string>>(
      `SELECT first_offset AS first, last_offset AS last, records, spans, rows, dead_lettered AS dead
       FROM ingest_ledger ${final} WHERE topic = 'spans.direct' AND partition = ${partition} ORDER BY first_offset`,
    )
  ).map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as unknown as LedgerRow)

/** Of an insert by hand that has to arrive whatever was inserted before: the engine takes an equal block of another time for a repetition. */
const anew = () => `SETTINGS insert_deduplication_token = '${randomUUID()}'`

/** A change by hand. Changes wait for merges, and merges stand still in these tests. */
async function change(table: string, what: string): Promise<void> {
  const { columnStore } = world
  await columnStore.command(`SYSTEM START MERGES ${columnStore.database}.${table}`)
  await columnStore.command(`ALTER TABLE ${table} ${what} SETTINGS mutations_sync = 2`)
  await columnStore.command(`SYSTEM STOP MERGES ${columnStore.database}.${table}`)
}

/** A writer that has stored all there is, one chunk a record. */
async function stored(counts: readonly number[]): Promise<RunningWriter> {
  const writer = world.writer({ config: { chunkMaxRows: 1 } })
  for (const count of counts) await world.send({ count })
  await writer.service.start()
  await world.settled()
  return writer
}

const unaccounted = (writer: RunningWriter) => writer.metric('svc_unaccounted_spans')

/** Resolves when the gauge was set by an audit that began after the call. */
async function audited(writer: RunningWriter): Promise<void> {
  const done = async () =>
    Math.min(...(await Promise.all(['svc_ledger_audits_total', 'svc_row_audits_total'].map(name => writer.metric(name, 'done')))))
  const before = await Promise.all(['svc_ledger_audits_total', 'svc_row_audits_total'].map(name => writer.metric(name, 'done')))
  // The offset of a round is audited in the round after it.
  await waitFor(async () => (await done()) >= Math.max(...before) + 3, { what: 'three audits of ledger and rows' })
}

/** A record that says to have other spans than it has, as a defect of a gateway would make it. */
const lyingBatch = (says: number, has: number) => encodeSpanBatch({ ...decodeSpanBatch(spanBatch({ count: has })), spanCount: says })

test('healthy: one row a chunk, ranges without gaps, gauge 0, conserved', async () => {
  const writer = await stored([10, 20, 30])
  expect(await ledger()).toEqual([
    { first: 0, last: 0, records: 1, spans: 10, rows: 10, dead: 0 },
    { first: 1, last: 1, records: 1, spans: 20, rows: 20, dead: 0 },
    { first: 2, last: 2, records: 1, spans: 30, rows: 30, dead: 0 },
  ])
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, atRest: true, findings: [] })
  expect(report.partitions.find(({ records }) => records > 0)).toMatchObject({
    ...{ topic: 'spans.direct', partition: 0, from: 0, until: 3, records: 3, spans: 60, stored: 60, superseded: 0, deadLettered: 0 },
    ...{ missing: 0, rawRows: 60, finalRows: 60, coreFinalRows: 60, ledgerSpans: 60, unaccounted: 0 },
  })
  await audited(writer)
  expect(await unaccounted(writer)).toBe(0)
})

test.each(['../README.md', '../../../docs/runbooks/unaccounted-spans.md'])('the statement in %s runs, and sees a gap', async path => {
  await stored([10, 20, 30])
  const statement = /```sql\n([\s\S]*?)```/.exec(readFileSync(new URL(path, import.meta.url), 'utf8'))![1]!
  const totals = async () => (await world.columnStore.query<Record<string, string>>(statement))[0]
  const healthy = { topic: 'spans.direct', spans: '60', rows: '60', dead: '0', denied: '0' }
  expect(await totals()).toMatchObject(healthy)
  expect(Object.values((await totals())!).filter(value => value === '1')).toEqual([])
  await change('ingest_ledger', 'DELETE WHERE first_offset = 1')
  expect(Object.values((await totals())!)).toContain('1')
})

test('a span that was sent twice and merged is conserved', async () => {
  const writer = world.writer()
  await world.send({ count: 10, seed: 'retried' })
  await world.send({ count: 10, seed: 'retried' })
  await writer.service.start()
  await world.settled()
  expect(await world.check()).toMatchObject({ conserved: true })
  for (const table of ['events_full', 'events_core']) {
    await world.columnStore.command(`SYSTEM START MERGES ${world.columnStore.database}.${table}`)
    await world.columnStore.command(`OPTIMIZE TABLE ${table} FINAL`)
  }
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, findings: [] })
  expect(report.partitions.find(({ records }) => records > 0)).toMatchObject({ spans: 20, stored: 10, superseded: 10, rawRows: 10 })
})

describe('the gauge', () => {
  test('a ledger row in the middle is missing', async () => {
    const writer = await stored([10, 20, 30])
    await change('ingest_ledger', 'DELETE WHERE first_offset = 1')
    const next = world.writer()
    await writer.service.drain()
    await next.service.start()
    await waitFor(async () => (await unaccounted(next)) === 20, { what: 'the gauge to show 20' })
    expect(await next.metric('svc_unaccounted_spans', 'spans.direct')).toBe(20)
    expect((await world.check()).findings).toMatchObject([{ kind: 'ledger_gap', first: 1, last: 1, spans: 20 }])
  })

  test('the oldest ledger row is missing', async () => {
    const writer = await stored([10, 20])
    await writer.service.drain()
    await change('ingest_ledger', 'DELETE WHERE first_offset = 0')
    const next = world.writer()
    await next.service.start()
    await waitFor(async () => (await unaccounted(next)) === 10, { what: 'the gauge to show 10' })
  })

  test('the newest ledger row is missing: the next chunk does not cover it up', async () => {
    const writer = await stored([10, 20])
    await writer.service.drain()
    await change('ingest_ledger', 'DELETE WHERE first_offset = 1')
    const next = world.writer()
    await next.service.start()
    await world.send({ count: 5 })
    await world.settled()
    expect(await ledger()).toMatchObject([
      { first: 0, last: 0 },
      { first: 2, last: 2 },
    ])
    await waitFor(async () => (await unaccounted(next)) === 20, { what: 'the gauge to show 20' })
  })

  test('comes back to 0 when the row is back', async () => {
    const writer = await stored([10, 20])
    await world.columnStore.command('CREATE TABLE kept ENGINE = Log AS SELECT * FROM ingest_ledger WHERE first_offset = 1')
    await writer.service.drain()
    await change('ingest_ledger', 'DELETE WHERE first_offset = 1')
    const next = world.writer()
    await next.service.start()
    await waitFor(async () => (await unaccounted(next)) === 20, { what: 'the gauge to show 20' })
    await world.columnStore.command(`INSERT INTO ingest_ledger SELECT * FROM kept ${anew()}`)
    await waitFor(async () => (await unaccounted(next)) === 0, { what: 'the gauge to show 0' })
  })

  test('an envelope that says other than its payload has', async () => {
    const writer = world.writer()
    await world.send({ count: 5 })
    await world.append(topicNames.direct, lyingBatch(9, 7))
    await writer.service.start()
    await world.settled()
    await waitFor(async () => (await unaccounted(writer)) === 2, { what: 'the gauge to show 2' })
    expect((await world.check()).findings.map(({ kind, spans }) => [kind, spans])).toEqual([
      ['missing', 2],
      ['ledger_imbalance', 2],
    ])
  })
})

describe('the gauge looks at the tables, not only at what was said of them', () => {
  const shows = (writer: RunningWriter, spans: number) =>
    waitFor(async () => (await unaccounted(writer)) === spans, { what: `the gauge to show ${spans}`, timeoutMs: 30_000 })

  test.each([
    ['both', ['events_full', 'events_core']],
    ['events_full', ['events_full']],
    ['events_core', ['events_core']],
  ])('rows deleted from %s before they were audited', async (_, tables) => {
    const writer = world.writer({ config: { chunkMaxRows: 1, ledgerAuditMs: 3_600_000 } })
    for (const count of [10, 20, 30]) await world.send({ count })
    await writer.service.start()
    await world.settled()
    const where = `match(blob_storage_file_path, '/[02]#[357]$')`
    await world.columnStore.command(`CREATE TABLE kept ENGINE = Log AS SELECT * FROM events_full WHERE ${where}`)
    for (const table of tables) await change(table, `DELETE WHERE ${where}`)
    await writer.service.drain()
    const next = world.writer()
    await next.service.start()
    await shows(next, 6)
    await world.columnStore.command(`INSERT INTO events_full SELECT * FROM kept ${anew()}`)
    await shows(next, 0)
    await audited(next)
    expect(await unaccounted(next)).toBe(0)
    expect(await next.metric('svc_audit_lag_seconds')).toBe(0)
  })

  test('an offset that was skipped forward: its spans count once, though the ledger lacks them too', async () => {
    const writer = await stored([10])
    await writer.service.drain()
    await world.send({ count: 20 })
    await skipTo(2)
    await world.send({ count: 5 })
    const next = world.writer()
    await next.service.start()
    await world.settled()
    await shows(next, 20)
    await audited(next)
    expect(await unaccounted(next)).toBe(20)
    expect(await ledger()).toMatchObject([
      { first: 0, last: 0 },
      { first: 2, last: 2 },
    ])
  })

  /** Moves the writer's offset of partition 0, as a defect or an operator would. */
  async function skipTo(offset: number): Promise<void> {
    const done = Promise.withResolvers<void>()
    const consumer = await world.log.consume({
      ...{ group: groupNames.writer, topics: [topicNames.direct], minBytes: 1, maxWaitMs: 5, maxBatchBytes: 1 << 20, concurrency: 1 },
      async onBatch(_, context) {
        await context.commit(offset, '')
        done.resolve()
        return { kind: 'pause', afterMs: 60_000 }
      },
      onFatal: done.reject,
    })
    await done.promise
    await consumer.stop()
  }
})

test('dead letters are counted once, whole records and single spans, with and without stored siblings', async () => {
  const writer = world.writer({ config: { maxRecordBytes: 40_000 } })
  await world.send({ count: 10 })
  await world.append(topicNames.direct, Buffer.from('no record of ours'))
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  await world.append(topicNames.direct, spanBatch({ count: 3, startMs: now - 200 * 31 * 86_400_000 }))
  await world.send({ count: 20 })
  await writer.service.start()
  await world.settled()
  // As a chunk that is written again would.
  for (let partition = 0; partition < 2; partition++) {
    const { records } = await world.log.read(topicNames.deadLetter, partition, 0, 1e9)
    for (const { value } of records) await world.append(topicNames.deadLetter, value!, partition)
  }
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, findings: [] })
  expect(report.partitions.find(({ records }) => records > 0)).toMatchObject({ spans: 1034, stored: 30, deadLettered: 1004 })
  const rows = await ledger()
  expect(rows.reduce((sum, { spans }) => sum + spans, 0)).toBe(1034)
  expect(rows.reduce((sum, { dead }) => sum + dead, 0)).toBe(1004)
  await audited(writer)
  expect(await unaccounted(writer)).toBe(0)
})

test('dead letters that are gone, or that nobody here can read, are known from the ledger; a row that lacks beside them is still missed', async () => {
  await world.append(topicNames.direct, Buffer.from('no record'))
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  await world.send({ count: 10 })
  const writer = world.writer({ config: { chunkMaxRows: 1, maxRecordBytes: 40_000, deadLetterIntervalMs: 20 } })
  await writer.service.start()
  await world.settled()
  const dead = 1001
  const reported = async () => (await world.check()).partitions.find(({ records }) => records > 0)!
  expect(await reported()).toMatchObject({ deadLettered: dead, lettersGone: 0, missing: 0 })

  // One that a newer release wrote, in the place of all: they are dropped, purged or expired.
  const unknown = Buffer.concat([Buffer.from('c301', 'hex'), Buffer.alloc(20, 7)])
  await world.log.append(topicNames.deadLetter, [{ key: null, value: unknown, partition: 0 }])
  expect(await world.check()).toMatchObject({ conserved: true, unreadableLetters: 1 })
  for (const { partition, highWatermark } of (await world.log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)!
    .partitions)
    await world.log.deleteBefore(topicNames.deadLetter, partition, highWatermark)
  expect(await world.check()).toMatchObject({ conserved: true, findings: [], unreadableLetters: 0 })
  expect(await reported()).toMatchObject({ deadLettered: dead, lettersGone: dead, missing: 0 })
  await waitFor(async () => (await writer.metric('svc_dead_letters_dropped_total')) === 3, {
    what: 'the letters that have left to be counted',
  })
  expect(JSON.stringify((await writer.health.evaluate('ready')).body)).toContain('3 dead letters have left their topic')

  await change('events_full', `DELETE WHERE blob_storage_file_path = 'spans.direct/0/2#4'`)
  await change('events_core', `DELETE WHERE blob_storage_file_path = 'spans.direct/0/2#4'`)
  const { conserved, findings } = await world.check()
  expect(conserved).toBe(false)
  expect(findings).toMatchObject([{ kind: 'missing', first: 2, last: 2, spans: 1 }])
})

test('of the newest offsets only: letters of a chunk’s older records excuse no row of its newer ones', async () => {
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  await world.send({ count: 10 })
  await world.log.append(topicNames.deadLetter, [{ key: null, value: Buffer.from('of another release'), partition: 0 }])
  await world.writer({ config: { maxRecordBytes: 40_000, fetchMinBytes: 1e6, fetchMaxWaitMs: 200 } }).service.start()
  await world.settled()
  expect(await ledger()).toHaveLength(1)
  for (const table of ['events_full', 'events_core']) await change(table, `DELETE WHERE blob_storage_file_path = 'spans.direct/0/1#4'`)
  const { log, columnStore } = world
  const options = { log, columnStore, group: groupNames.writer, topics: [topicNames.direct] }
  for (const newest of [1, 2]) {
    const { findings } = await checkConservation({ ...options, newest })
    expect(findings).toMatchObject([{ kind: 'missing', first: 1, last: 1, spans: 1 }])
  }
})

test('a chunk of nothing but bad records has its row, and the next range follows it', async () => {
  const writer = world.writer()
  await world.append(topicNames.direct, Buffer.from('no record of ours'))
  await writer.service.start()
  await world.settled()
  await world.send({ count: 4 })
  await world.settled()
  expect(await ledger()).toEqual([
    { first: 0, last: 0, records: 1, spans: 1, rows: 0, dead: 1 },
    { first: 1, last: 1, records: 1, spans: 4, rows: 4, dead: 0 },
  ])
  expect(await world.check()).toMatchObject({ conserved: true })
})

test('records without spans leave no gap', async () => {
  const writer = world.writer()
  await world.send({ count: 4 })
  await writer.service.start()
  await world.settled()
  await world.append(topicNames.direct, lyingBatch(0, 0))
  await world.settled()
  await writer.service.drain()
  const next = world.writer()
  await next.service.start()
  await world.send({ count: 6 })
  await world.settled()
  await world.append(topicNames.direct, lyingBatch(0, 0))
  await world.settled()
  expect(await ledger()).toMatchObject([
    { first: 0, last: 0 },
    { first: 1, last: 2, spans: 6 },
  ])
  await audited(next)
  expect(await unaccounted(next)).toBe(0)
  expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
})

describe.each<Point>(['after intent', 'after insert', 'before acknowledgement', 'after acknowledgement'])('writer killed %s', point => {
  test('the chunk that is rebuilt is in the ledger once, and conserved', async () => {
    const killed = killAt(point, world.log, world.columnStore)
    await world.send({ count: 30 })
    await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
    await killed.reached
    await world.send({ count: 10 })
    const next = world.writer()
    await next.service.start()
    await world.settled()
    expect(await ledger()).toMatchObject([
      { first: 0, last: 0, spans: 30, rows: 30 },
      { first: 1, last: 1, spans: 10, rows: 10 },
    ])
    expect(await world.check()).toMatchObject({ conserved: true, findings: [] })
    await audited(next)
    expect(await unaccounted(next)).toBe(0)
  })
})

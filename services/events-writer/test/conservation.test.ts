import { readFileSync } from 'node:fs'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { inNightly, sized, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { accountsOf, anew, lyingBatch } from './accounts.ts'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { killAt, type Point } from './kill.ts'
import type { RunningWriter } from './world.ts'

eachTestHasItsWorld('before the test', { auditMs: 300 })

const { ledger, change, stored, unaccounted, audited } = accountsOf(() => world)

test('without faults, each chunk has one ledger row, ranges have no gaps, and gauge and check report no loss', async () => {
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

test('the statements in the README and in the runbook run, and find a gap', async () => {
  await stored([10, 20, 30])
  const statements = ['../README.md', '../../../docs/runbooks/unaccounted-spans.md'].map(
    path => /```sql\n([\s\S]*?)```/.exec(readFileSync(new URL(path, import.meta.url), 'utf8'))![1]!,
  )
  const totals = async (statement: string) => (await world.columnStore.query<Record<string, string>>(statement))[0]!
  const healthy = { topic: 'spans.direct', spans: '60', rows: '60', dead: '0', denied: '0' }
  for (const statement of statements) {
    expect(await totals(statement)).toMatchObject(healthy)
    expect(Object.values(await totals(statement)).filter(value => value === '1')).toEqual([])
  }
  await change('ingest_ledger', 'DELETE WHERE first_offset = 1')
  for (const statement of statements) expect(Object.values(await totals(statement))).toContain('1')
})

test('a span that was sent twice and whose rows were merged is conserved', async () => {
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
  test('a ledger row in the middle is missing, until it is restored', async () => {
    const writer = await stored([10, 20, 30])
    await world.columnStore.command('CREATE TABLE kept ENGINE = Log AS SELECT * FROM ingest_ledger WHERE first_offset = 1')
    await change('ingest_ledger', 'DELETE WHERE first_offset = 1')
    const next = world.writer()
    await writer.service.drain()
    await next.service.start()
    await waitFor(async () => (await unaccounted(next)) === 20, { what: 'the gauge to show 20' })
    expect(await next.metric('svc_unaccounted_spans', 'spans.direct')).toBe(20)
    expect((await world.check()).findings).toMatchObject([{ kind: 'ledger_gap', first: 1, last: 1, spans: 20 }])
    await world.columnStore.command(`INSERT INTO ingest_ledger SELECT * FROM kept ${anew()}`)
    await waitFor(async () => (await unaccounted(next)) === 0, { what: 'the gauge to show 0' })
  })

  inNightly(() =>
    test('the oldest ledger row is missing', async () => {
      const writer = await stored([10, 20])
      await writer.service.drain()
      await change('ingest_ledger', 'DELETE WHERE first_offset = 0')
      const next = world.writer()
      await next.service.start()
      await waitFor(async () => (await unaccounted(next)) === 10, { what: 'the gauge to show 10' })
    }),
  )

  test('the newest ledger row is missing, and the next chunk does not hide that', async () => {
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

  test('an envelope announces another number of spans than its payload contains', async () => {
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

describe('the gauge checks the tables themselves, not only the ledger', () => {
  const shows = (writer: RunningWriter, spans: number) =>
    waitFor(async () => (await unaccounted(writer)) === spans, { what: `the gauge to show ${spans}` })

  const losses: readonly (readonly [string, readonly string[]])[] = [
    ['events_core', ['events_core']],
    ['events_full', ['events_full']],
    ['both', ['events_full', 'events_core']],
  ]
  test.each(sized(losses, losses.slice(0, 1)))('rows are deleted from %s before the audit reaches them', async (_, tables) => {
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

  test('the spans of a skipped offset are counted once, although the ledger lacks them, too', async () => {
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

// crash.test.ts covers all points at which a writer can die.
const points: readonly Point[] = ['before acknowledgement', 'after intent', 'after acknowledgement', 'after insert']
describe.each(sized(points, points.slice(0, 1)))('the writer is killed %s', point => {
  test('the rebuilt chunk is in the ledger once, and conserved', async () => {
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

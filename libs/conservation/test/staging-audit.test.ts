// The tests append records and ledger rows by hand, and then run the audit of staged spans round by round.
import { groupNames, topicNames } from '@svc-server/modes/names'
import { beforeEach, expect, test } from 'vitest'
import { createLedger } from '../src/ledger.ts'
import { storeLedgerRecords } from '../src/ledger-records.ts'
import { createStagingAudit, type StagingAudit } from '../src/staging-audit.ts'
import { auditedRows } from './audited-rows.ts'
import { commitTo, spansOf } from './log.ts'

const it = auditedRows()
const { staging, filled } = topicNames
const retentionMs = 7 * 86_400_000

let nowMs = 0
let [staged, published] = [0, 0]
let audit: StagingAudit

beforeEach(async () => {
  nowMs = Date.now()
  staged = 0
  published = 0
  await it.columnStore.command('TRUNCATE TABLE ingest_ledger')
})

function open(): void {
  audit = createStagingAudit({ log: it.opened.log, columnStore: it.columnStore, clock: () => nowMs })
  audit.own([0])
}

const rounds = async (count: number): Promise<number> => {
  let last = { unaccounted: -1 }
  for (let i = 0; i < count; i++) last = await audit.round({ whole: false })
  return last.unaccounted
}

const stage = (count: number) => it.append(spansOf(count, staged * 100), {}, staging)

/** Publishes records as the propagator does. With `isLost`, the staged record is committed, but the published record is missing. */
async function publish(count: number, { isLost = false } = {}): Promise<void> {
  const { log } = it.opened
  const of = { staged: { partition: 0, offset: staged, timestampMs: 0, generation: 0 } }
  if (!isLost) await it.append(spansOf(count, staged * 100), of, filled)
  const said = { group: groupNames.propagator, topic: staging, partition: 0, first: staged, last: staged, records: 1 }
  await storeLedgerRecords({ log, columnStore: it.columnStore }, [
    { ...said, spans: count, rows: count, deadLettered: 0, denied: 0, versions: {} },
  ])
  staged += 1
  await commitTo(log, groupNames.propagator, staging, 0, staged)
}

/** Stores rows and ledger rows as the writer does. */
async function store(count: number): Promise<void> {
  const { log } = it.opened
  const range = { topic: filled, partition: 0, destination: 'events_full', first: published, last: published, records: 1 }
  const row = { ...range, spans: count, rows: count, deadLettered: 0, denied: 0, bodyHash: '', versions: {} }
  await createLedger({ log, columnStore: it.columnStore, group: groupNames.writer }).record(row, { again: false })
  published += 1
  await commitTo(log, groupNames.writer, filled, 0, published)
}

/** Stages, publishes and stores one record for each count. The count is the number of spans in the record. */
async function pass(counts: readonly number[]): Promise<void> {
  for (const count of counts) {
    await stage(count)
    await publish(count)
    await store(count)
  }
}

async function lose(count: number): Promise<void> {
  await stage(count)
  await publish(count, { isLost: true })
}

test('published and stored spans are accounted for, and so are spans in an open window', async () => {
  open()
  await pass([10, 20])
  expect(await rounds(3)).toBe(0)
  await stage(7)
  expect(await rounds(3)).toBe(0)
})

test('a snapshot is judged one round after the ledger covers it', async () => {
  open()
  await lose(10)
  expect([await rounds(1), await rounds(1)]).toEqual([0, 10])
})

test('a writer that is behind causes no report, and a loss is reported once the writer has caught up', async () => {
  open()
  await stage(10)
  await publish(10)
  await lose(4)
  expect(await rounds(4)).toBe(0)
  await store(10)
  expect(await rounds(3)).toBe(4)
})

test('a range that the ledger does not contain is counted once', async () => {
  open()
  await pass([10])
  await stage(20)
  staged += 1
  await commitTo(it.opened.log, groupNames.propagator, staging, 0, staged)
  await pass([5])
  expect(await rounds(3)).toBe(20)
})

test('on a log that is older than its retention, earlier losses are ignored and later losses are reported', async () => {
  await lose(10)
  nowMs += retentionMs + 60_000
  open()
  expect(await rounds(4)).toBe(0)
  await lose(20)
  expect(await rounds(2)).toBe(20)
  // Retention has deleted the records from which the missing rows could be stored. The audit therefore ignores the difference.
  nowMs += retentionMs + 60_000
  expect(await rounds(4)).toBe(0)
  await lose(5)
  expect(await rounds(2)).toBe(5)
})

test('ranges that were stored twice are not compared until counting begins after them', async () => {
  open()
  await pass([10, 20, 30])
  expect(await rounds(2)).toBe(0)
  // An operator has moved the writer's offset back. The writer has then stored the same records in different chunks.
  await it.columnStore.command(
    `INSERT INTO ingest_ledger (log_id, consumer_group, topic, partition, first_offset, last_offset, spans, rows)
     SELECT log_id, consumer_group, topic, partition, 1, 2, 50, 50 FROM ingest_ledger WHERE topic = '${filled}' AND first_offset = 1`,
  )
  audit.own([0])
  expect(await rounds(4)).toBe(0)
  await lose(20)
  expect(await rounds(2)).toBe(20)
})

// A ledger row must cover the stored range, and the offsets since the previous range if these offsets have no spans. A ledger row must
// never cover spans that a consumer skipped.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog, FetchedBatch } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditLedger } from '../src/audit.ts'
import { createLedger, type LedgerEntry } from '../src/ledger.ts'
import { batchOf, openTestLog, spansOf, type TestLog } from './log.ts'
import { startTestEngine, type TestEngine } from './tables.ts'

const topic = topicNames.direct
const group = groupNames.writer
let engine: TestEngine
let columnStore: ColumnStore
let opened: TestLog

beforeAll(async () => {
  engine = await startTestEngine()
  columnStore = await engine.tables()
})
afterAll(() => engine.stop())
beforeEach(async () => {
  opened = await openTestLog()
})
afterEach(() => opened.close())

const destination = 'events_full'
const entry = (first: number, last: number, spans: number): LedgerEntry => ({
  ...{
    topic,
    partition: 0,
    destination,
    first,
    last,
    records: last - first + 1,
    spans,
    rows: spans,
    deadLettered: 0,
    denied: 0,
    bodyHash: '',
    versions: {},
  },
})
const append = async (counts: readonly number[]) => {
  for (const count of counts) await opened.log.append(topic, [{ key: null, value: batchOf(spansOf(count)), partition: 0 }])
}
const rows = async () =>
  (
    await columnStore.query<{ first: string; last: string }>(
      'SELECT first_offset AS first, last_offset AS last FROM ingest_ledger FINAL WHERE log_id = {id:String} ORDER BY first_offset',
      { id: opened.log.logId(topic) },
    )
  ).map(({ first, last }) => [Number(first), Number(last)])
const audit = async (log: EventLog, until: number) =>
  (await auditLedger({ log, columnStore, group, destinations: [destination] }, { topic, partition: 0, from: 0, until }, { whole: true }))
    .faults

describe('a table that is added later', () => {
  const later = (first: number, last: number, spans: number) => ({ ...entry(first, last, spans), destination: 'a_table' })
  const auditLater = async (until: number) =>
    (
      await auditLedger(
        { log: opened.log, columnStore, group, destinations: ['a_table'] },
        { topic, partition: 0, from: 0, until },
        { whole: true },
      )
    ).faults

  test('needs no ledger rows before its first ledger row, and needs every ledger row after it', async () => {
    await append([3, 5, 2, 4, 1])
    const ledger = createLedger({ log: opened.log, columnStore, group })
    await ledger.record(entry(0, 4, 15), { again: false })
    expect(await auditLater(2)).toEqual([])
    await ledger.record(later(2, 2, 2), { again: false })
    expect(await auditLater(3)).toEqual([])
    await ledger.record(later(4, 4, 1), { again: false })
    expect(await auditLater(5)).toEqual([{ kind: 'gap', first: 3, last: 3, spans: 4 }])
  })

  test('needs all ledger rows when it is the first table', async () => {
    await append([3, 5])
    await createLedger({ log: opened.log, columnStore, group }).record(entry(1, 1, 5), { again: false })
    expect(await audit(opened.log, 2)).toEqual([{ kind: 'gap', first: 0, last: 0, spans: 3 }])
  })
})

/** Creates a log without the lost offsets, like a log after compaction. */
const without = (lost: readonly number[]): EventLog => ({
  ...opened.log,
  async read(...asked): Promise<FetchedBatch> {
    const batch = await opened.log.read(...asked)
    return { ...batch, records: batch.records.filter(({ offset }) => !lost.includes(offset)) }
  },
})

describe('offsets between two ledger rows', () => {
  test('stay a gap when the consumer skipped a record with spans', async () => {
    await append([3, 5, 2])
    const ledger = createLedger({ log: opened.log, columnStore, group })
    await ledger.record(entry(0, 0, 3), { again: false })
    await ledger.record(entry(2, 2, 2), { again: false })
    expect(await rows()).toEqual([
      [0, 0],
      [2, 2],
    ])
    expect(await audit(opened.log, 3)).toEqual([{ kind: 'gap', first: 1, last: 1, spans: 5 }])
  })

  test('are covered when their records have no spans, by the same owner and by a different owner', async () => {
    await append([3, 0, 2, 0, 4])
    const ledger = createLedger({ log: opened.log, columnStore, group })
    await ledger.record(entry(0, 0, 3), { again: false })
    await ledger.record(entry(2, 2, 2), { again: false })
    await createLedger({ log: opened.log, columnStore, group }).record(entry(4, 4, 4), { again: false })
    expect(await rows()).toEqual([
      [0, 0],
      [1, 2],
      [3, 4],
    ])
    expect(await audit(opened.log, 5)).toEqual([])
  })

  test('are a gap when the log has lost them, because every offset of the embedded log is a record', async () => {
    await append([3, 5, 5, 2])
    const log = without([1, 2])
    const ledger = createLedger({ log, columnStore, group })
    await ledger.record(entry(0, 0, 3), { again: false })
    await ledger.record(entry(3, 3, 2), { again: false })
    expect(await audit(log, 4)).toEqual([{ kind: 'gap', first: 1, last: 2, spans: 2 }])
  })

  test('are a gap of at least one span per offset when they are unreadable, and the audit continues', async () => {
    await append([3, 5, 5, 2])
    const log: EventLog = {
      ...opened.log,
      read: (name, partition, from, maxBytes) =>
        from === 1 ? opened.log.read(name, partition, -1, maxBytes) : opened.log.read(name, partition, from, maxBytes),
    }
    const ledger = createLedger({ log, columnStore, group })
    await ledger.record(entry(0, 0, 3), { again: false })
    await ledger.record(entry(3, 3, 2), { again: false })
    expect(await audit(log, 4)).toEqual([{ kind: 'gap', first: 1, last: 2, spans: 2 }])
  })
})

// The tests use the real engine and log. The audit must report the exact number of missing items, and 0 after the test has restored the
// items.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { deadLetterId, encodeDeadLetter } from '@svc-server/schema/dead-letter'
import { describe, expect, test } from 'vitest'
import { createLedger } from '../src/ledger.ts'
import { auditedRows, topic } from './audited-rows.ts'
import { batchOf, commitTo, spansOf } from './log.ts'
import { deleteRows, insertRows } from './tables.ts'

const it = auditedRows()

describe('the row audit', () => {
  test('reports nothing when all rows are stored, and does not look up unacknowledged records', async () => {
    const rows = [...(await it.append(spansOf(30))), ...(await it.append(spansOf(20, 30), { contentEncoding: 'identity' }))]
    await insertRows(it.columnStore, rows)
    await it.append(spansOf(7, 50))
    await it.acknowledge(2)
    const one = it.audit()
    expect(await it.missing(one)).toBe(0)
    expect(one.status()).toMatchObject([{ missing: [], lagMs: 0 }])
  })

  test('reports rows that only one table lacks, and 0 once they are restored', async () => {
    const rows = await it.append(spansOf(30))
    await insertRows(it.columnStore, rows)
    await it.acknowledge(1)
    await deleteRows(it.columnStore, 'events_core', `project_id = '${it.projectId}' AND span_id = '${rows[4]!.spanId}'`)
    await deleteRows(
      it.columnStore,
      'events_full',
      `project_id = '${it.projectId}' AND span_id IN ('${rows[7]!.spanId}', '${rows[8]!.spanId}')`,
    )
    const one = it.audit()
    expect(await it.missing(one)).toBe(3)
    expect(one.status()[0]!.missing).toMatchObject([{ first: 0, last: 0, spans: 3 }])
    await insertRows(it.columnStore, [rows[4]!, rows[7]!])
    expect(await it.missing(one)).toBe(1)
    await insertRows(it.columnStore, [rows[8]!])
    expect(await it.missing(one)).toBe(0)
  })

  test('reports an envelope that claims more or fewer spans than there are', async () => {
    const rows = [...(await it.append(spansOf(7), { spanCount: 9 })), ...(await it.append(spansOf(5, 10), { spanCount: 0 }))]
    await insertRows(it.columnStore, rows.slice(0, 7))
    await it.acknowledge(2)
    const one = it.audit()
    expect(await it.missing(one)).toBe(2 + 5)
    await insertRows(it.columnStore, rows.slice(7))
    expect(await it.missing(one)).toBe(2)
  })

  test('allocates no memory for an envelope that claims billions of spans', async () => {
    await insertRows(it.columnStore, await it.append(spansOf(3), { spanCount: 2_000_000_003 }))
    await it.acknowledge(1)
    expect(await it.missing(it.audit())).toBe(2_000_000_000)
  })

  test('does not accept an older row of the same key, and accepts a newer tombstone', async () => {
    const rows = await it.append(spansOf(2))
    await insertRows(it.columnStore, [
      { ...rows[0]!, eventTsUs: rows[0]!.eventTsUs - 1 },
      { ...rows[1]!, eventTsUs: rows[1]!.eventTsUs + 5, isDeleted: true },
    ])
    await it.acknowledge(1)
    expect(await it.missing(it.audit())).toBe(1)
  })

  test('does not report dead-lettered spans and records, and reports other spans of the same record', async () => {
    const rows = await it.append(spansOf(5))
    await it.opened.log.append(topic, [{ key: null, value: Buffer.from('no record of ours'), partition: 0 }])
    await it.opened.log.append(topic, [{ key: null, value: Buffer.from('nor this'), partition: 0 }])
    await it.append(spansOf(3, 10), { decodedBytes: 2 << 20 })
    await insertRows(it.columnStore, [rows[0]!, rows[1]!])
    const deadLetters = [
      { offset: 0, index: 3 },
      { offset: 1, index: null },
      { offset: 3, index: null },
    ]
    for (const { offset, index } of deadLetters) {
      const value = encodeDeadLetter({
        ...{ id: deadLetterId(topic, 0, offset, index), stage: 'encode', reason: 'by hand', message: '', projectId: null },
        ...{ topic, partition: 0, offset, index, raw: Buffer.alloc(0), atMs: 0 },
      })
      await it.opened.log.append(topicNames.deadLetter, [{ key: null, value, partition: index === null ? 1 : 0 }])
    }
    await it.acknowledge(4)
    const one = it.audit()
    expect(await it.missing(one)).toBe(3)
    expect(one.status()[0]!.missing[0]!.runs).toEqual([
      { first: 0, last: 0, spans: 2 },
      { first: 2, last: 2, spans: 1 },
    ])
  })

  test('for dead letters that left their topic, accepts exactly the number that the ledger has', async () => {
    await it.append(spansOf(5))
    await it.acknowledge(1)
    const entry = {
      topic,
      partition: 0,
      destination: 'events_full',
      first: 0,
      last: 0,
      records: 1,
      spans: 5,
      rows: 1,
      deadLettered: 4,
      denied: 0,
      bodyHash: '',
      versions: {},
    }
    await createLedger({ log: it.opened.log, columnStore: it.columnStore, group: groupNames.writer }).record(entry, { again: false })
    expect(await it.missing(it.audit())).toBe(5)
    // One dead letter is from a newer release. The audit therefore cannot assume that it can read all dead letters.
    await it.columnStore.command('TRUNCATE TABLE ingest_audit')
    await it.opened.log.append(topicNames.deadLetter, [{ key: null, value: Buffer.from('of another release'), partition: 0 }])
    expect(await it.missing(it.audit())).toBe(1)
  })

  describe('dead letters of the same chunk', () => {
    const deadLetter = (offset: number, index: number | null, more: { readonly of?: string; readonly raw?: Uint8Array } = {}) => {
      const { of = topic, raw = Buffer.alloc(0) } = more
      const value = encodeDeadLetter({
        ...{ id: deadLetterId(of, 0, offset, index), stage: 'encode', reason: 'by hand', message: '', projectId: it.projectId },
        ...{ topic: of, partition: 0, offset, index, raw, atMs: 0 },
      })
      return it.opened.log.append(topicNames.deadLetter, [{ key: null, value, partition: 0 }])
    }
    const purge = async () => {
      const described = (await it.opened.log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)!
      for (const { partition, highWatermark } of described.partitions)
        await it.opened.log.deleteBefore(topicNames.deadLetter, partition, highWatermark)
    }
    const tell = (records: number, spans: number, deadLettered: number) =>
      createLedger({ log: it.opened.log, columnStore: it.columnStore, group: groupNames.writer }).record(
        {
          ...{
            topic,
            partition: 0,
            destination: 'events_full',
            first: 0,
            last: records - 1,
            records,
            spans,
            rows: spans - deadLettered,
            deadLettered,
          },
          ...{ denied: 0, bodyHash: '', versions: {} },
        },
        { again: false },
      )
    /**
     * The first record lacks a row for one span. The second record has dead letters for some of its spans. The third record is a dead
     * letter as a whole.
     */
    async function chunk(): Promise<void> {
      const first = await it.append(spansOf(4))
      const second = await it.append(spansOf(4, 10))
      await it.append(spansOf(3, 20))
      await insertRows(it.columnStore, [...first.slice(1), ...second.slice(2)])
      await tell(3, 11, 5)
      await it.acknowledge(3)
    }
    const deadLetters = async () => {
      await deadLetter(1, 0)
      await deadLetter(1, 1)
      await deadLetter(2, null, { raw: batchOf(spansOf(3, 20), { projectId: it.projectId }) })
    }

    test('a span stays missing although dead letters of other spans have left the topic before', async () => {
      await deadLetter(99, 0)
      await purge()
      await chunk()
      await deadLetters()
      const one = it.audit()
      for (let look = 0; look < 3; look++) expect(await it.missing(one)).toBe(1)
      expect(one.status()[0]!.missing).toMatchObject([{ first: 0, last: 0, spans: 1 }])
    })

    test('a span stays missing when all dead letters are purged, and nothing else becomes missing', async () => {
      await chunk()
      await deadLetters()
      const rows = await it.append(spansOf(2, 30))
      await insertRows(it.columnStore, rows.slice(1))
      await it.acknowledge(4)
      const one = it.audit()
      expect(await it.missing(one)).toBe(2)
      await purge()
      for (let look = 0; look < 3; look++) expect(await it.missing(one)).toBe(2)
      // The new audit acts as the next owner of the partition.
      expect(await it.missing(it.audit())).toBe(2)
    })

    test('on Kafka a dead letter may be purged before the audit reads it, and a span that never was a dead letter stays missing', async () => {
      await chunk()
      let isHidden = true
      const log: EventLog = {
        ...it.opened.log,
        kind: 'kafka',
        async read(name, ...asked) {
          const batch = await it.opened.log.read(name, ...asked)
          return isHidden && name === topicNames.deadLetter ? { ...batch, records: [] } : batch
        },
      }
      let now = Date.now()
      const one = it.audit({ log, clock: () => now })
      await deadLetters()
      expect(await it.missing(one)).toBe(0)
      isHidden = false
      await purge()
      expect(await it.missing(one)).toBe(0)
      now += 60_000
      expect(await it.missing(one)).toBe(1)
    })

    test('on Kafka a span without a dead letter after a minute is missing, regardless of the ledger', async () => {
      await chunk()
      let now = Date.now()
      const one = it.audit({ log: { ...it.opened.log, kind: 'kafka' }, clock: () => now })
      expect(await it.missing(one)).toBe(0)
      now += 60_000
      expect(await it.missing(one)).toBe(6)
      await deadLetter(99, 0)
      await purge()
      for (let look = 0; look < 2; look++) expect(await it.missing(one)).toBe(6)
    })

    test('does not report a span on spans.staging that became a dead letter on spans.filled', async () => {
      const { staging, filled } = topicNames
      const rows = await it.append(spansOf(4), {}, staging)
      await it.append(spansOf(3, 10), {}, staging)
      const of = (offset: number) => ({ staged: { partition: 0, offset, timestampMs: rows[0]!.eventTsUs / 1000, generation: 0 } })
      await it.append(spansOf(4), of(0), filled)
      await it.append(spansOf(3, 10), of(1), filled)
      await insertRows(it.columnStore, rows.slice(2))
      await deadLetter(0, 0, { of: filled })
      await deadLetter(1, null, { of: filled, raw: batchOf(spansOf(3, 10), { projectId: it.projectId, ...of(1) }) })
      await commitTo(it.opened.log, groupNames.propagator, staging, 0, 2)
      await it.acknowledge(2, filled)
      await it.acknowledge(2, staging)
      const one = it.audit({}, [staging])
      expect(await it.missing(one, staging)).toBe(1)
      await deadLetter(0, 1, { of: filled })
      expect(await it.missing(one, staging)).toBe(0)
    })
  })

  test('counts at least one span for each offset that the log has lost', async () => {
    const rows = [...(await it.append(spansOf(2))), ...(await it.append(spansOf(2, 2))), ...(await it.append(spansOf(2, 4)))]
    await insertRows(it.columnStore, rows)
    await it.acknowledge(3)
    const log: EventLog = {
      ...it.opened.log,
      async read(...asked) {
        const batch = await it.opened.log.read(...asked)
        return { ...batch, records: batch.records.filter(({ offset }) => offset !== 1) }
      },
    }
    expect(await it.missing(it.audit({ log }))).toBe(1)
  })
})

test('judges staged spans once their publications are stored, and never reports an open window', async () => {
  const { staging, filled } = topicNames
  const one = it.audit({}, [staging])
  const rows = await it.append(spansOf(4), {}, staging)
  expect(await it.missing(one, staging)).toBe(0)
  // The spans are published, but the writer has not read them yet.
  await it.append(spansOf(4), { staged: { partition: 0, offset: 0, timestampMs: 0, generation: 0 } }, filled)
  await commitTo(it.opened.log, groupNames.propagator, staging, 0, 1)
  expect(await it.missing(one, staging)).toBe(0)
  await it.acknowledge(1, filled)
  // The writer has read spans.filled, but not spans.staging.
  expect(await it.missing(one, staging)).toBe(0)
  await it.acknowledge(1, staging)
  expect(await it.missing(one, staging)).toBe(4)
  await insertRows(it.columnStore, rows)
  expect(await it.missing(one, staging)).toBe(0)
})

test('judges nothing while the column store is down or a replica is behind', async () => {
  await insertRows(it.columnStore, await it.append(spansOf(3)))
  await it.append(spansOf(3, 3))
  await it.acknowledge(2)
  const behind: ColumnStore = { ...it.columnStore, replicated: true, command: () => Promise.reject(new Error('timeout')) }
  const one = it.audit({ columnStore: behind })
  await expect(one.round()).rejects.toMatchObject({ code: 'column_store_unavailable' })
  expect(one.status()[0]!.missing).toEqual([])
})

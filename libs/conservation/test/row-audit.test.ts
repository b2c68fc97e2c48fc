// The audit of the rows, on the real engine and the real log: it says what is missing, exactly, and 0 when it is there again.
import type { ColumnStore } from '@svc-server/column-store'
import type { EventLog } from '@svc-server/log'
import { deadLetterId, encodeDeadLetter, groupNames, topicNames } from '@svc-server/schema'
import { manualClock } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLedger, createRowAudit, type RowAudit, type RowVersion } from '../src/index.ts'
import { batchOf, commitTo, type HandSpan, openTestLog, spansOf, type TestLog } from './log.ts'
import { deleteRows, insertRows, startTestEngine, type TestEngine } from './tables.ts'

const topic: string = topicNames.direct
let engine: TestEngine
let columnStore: ColumnStore
let opened: TestLog
let audits: RowAudit[] = []
/** Project of a test: no test sees another's rows. */
let projectId = ''
let projects = 0

beforeAll(async () => {
  engine = await startTestEngine()
  columnStore = await engine.tables()
})
afterAll(() => engine.stop())
beforeEach(async () => {
  projectId = `project-${projects++}`
  opened = await openTestLog()
})
afterEach(async () => {
  for (const audit of audits) await audit.stop()
  audits = []
  await opened.close()
})

const passed: unknown[] = []
const lost: unknown[] = []

function audit(
  more: { log?: EventLog; columnStore?: ColumnStore; clock?: () => number } = {},
  topics: readonly string[] = [topic],
): RowAudit {
  const one = createRowAudit({
    ...{ log: opened.log, columnStore, maxRecordBytes: 1 << 20, share: 1, clock: Date.now, ...more },
    onPassed: ({ from, until }) => passed.push([from, until]),
    onLost: (_, { first, last, spans }) => lost.push([first, last, spans]),
  })
  audits.push(one)
  one.own(topics.map(name => ({ topic: name, partition: 0 })))
  return one
}

/** Until it has seen everything, and looked again at what was missing. */
async function missing(one: RowAudit, of = topic): Promise<number> {
  while (await one.round());
  await one.round()
  return one
    .status()
    .find(status => status.topic === of)!
    .missing.reduce((sum, { spans }) => sum + spans, 0)
}

/** A record on the log, and the rows that it must become. */
async function append(spans: readonly HandSpan[], more: Parameters<typeof batchOf>[1] = {}, to = topic): Promise<RowVersion[]> {
  const [position] = await opened.log.append(to, [{ key: null, value: batchOf(spans, { projectId, ...more }), partition: 0 }])
  const { timestampMs } = position!
  const receivedUs = (more.receivedAtMs ?? Date.UTC(2026, 10, 21)) * 1000
  return spans.map(({ traceId, spanId, startNs = 0n, endNs = 0n }) => {
    const startUs = [startNs, endNs].map(ns => Number(ns / 1000n)).find(us => us !== 0) ?? receivedUs
    return { projectId, traceId, spanId, startTimeUs: startUs, eventTsUs: timestampMs * 1000 }
  })
}

const acknowledge = (offset: number, of = topic) => commitTo(opened.log, groupNames.writer, of, 0, offset)

describe('what is missing', () => {
  test('nothing, where all is stored; what is not acknowledged is not looked for', async () => {
    const rows = [...(await append(spansOf(30))), ...(await append(spansOf(20, 30), { contentEncoding: 'identity' }))]
    await insertRows(columnStore, rows)
    await append(spansOf(7, 50))
    await acknowledge(2)
    const one = audit()
    expect(await missing(one)).toBe(0)
    expect(one.status()).toMatchObject([{ missing: [], lagMs: 0 }])
  })

  test('rows that only one of the tables lacks, and 0 when they are back', async () => {
    const rows = await append(spansOf(30))
    await insertRows(columnStore, rows)
    await acknowledge(1)
    await deleteRows(columnStore, 'events_core', `project_id = '${projectId}' AND span_id = '${rows[4]!.spanId}'`)
    await deleteRows(columnStore, 'events_full', `project_id = '${projectId}' AND span_id IN ('${rows[7]!.spanId}', '${rows[8]!.spanId}')`)
    const one = audit()
    expect(await missing(one)).toBe(3)
    expect(one.status()[0]!.missing).toMatchObject([{ first: 0, last: 0, spans: 3 }])
    await insertRows(columnStore, [rows[4]!, rows[7]!])
    expect(await missing(one)).toBe(1)
    await insertRows(columnStore, [rows[8]!])
    expect(await missing(one)).toBe(0)
  })

  test('an envelope that says more spans than there are, or fewer', async () => {
    const rows = [...(await append(spansOf(7), { spanCount: 9 })), ...(await append(spansOf(5, 10), { spanCount: 0 }))]
    await insertRows(columnStore, rows.slice(0, 7))
    await acknowledge(2)
    const one = audit()
    expect(await missing(one)).toBe(2 + 5)
    await insertRows(columnStore, rows.slice(7))
    expect(await missing(one)).toBe(2)
  })

  test('an envelope that says billions takes no memory', async () => {
    await insertRows(columnStore, await append(spansOf(3), { spanCount: 2_000_000_003 }))
    await acknowledge(1)
    expect(await missing(audit())).toBe(2_000_000_000)
  })

  test('an older row of the same key is not ours; a tombstone that came later is', async () => {
    const rows = await append(spansOf(2))
    await insertRows(columnStore, [
      { ...rows[0]!, eventTsUs: rows[0]!.eventTsUs - 1 },
      { ...rows[1]!, eventTsUs: rows[1]!.eventTsUs + 5, isDeleted: true },
    ])
    await acknowledge(1)
    expect(await missing(audit())).toBe(1)
  })

  test('spans and records that are dead letters are not; others of the same record are', async () => {
    const rows = await append(spansOf(5))
    await opened.log.append(topic, [{ key: null, value: Buffer.from('no record of ours'), partition: 0 }])
    await opened.log.append(topic, [{ key: null, value: Buffer.from('nor this'), partition: 0 }])
    await append(spansOf(3, 10), { decodedBytes: 2 << 20 })
    await insertRows(columnStore, [rows[0]!, rows[1]!])
    const letters = [
      { offset: 0, index: 3 },
      { offset: 1, index: null },
      { offset: 3, index: null },
    ]
    for (const { offset, index } of letters) {
      const value = encodeDeadLetter({
        ...{ id: deadLetterId(topic, 0, offset, index), stage: 'encode', reason: 'by hand', message: '', projectId: null },
        ...{ topic, partition: 0, offset, index, raw: Buffer.alloc(0), atMs: 0 },
      })
      await opened.log.append(topicNames.deadLetter, [{ key: null, value, partition: index === null ? 1 : 0 }])
    }
    await acknowledge(4)
    const one = audit()
    expect(await missing(one)).toBe(3)
    expect(one.status()[0]!.missing[0]!.runs).toEqual([
      { first: 0, last: 0, spans: 2 },
      { first: 2, last: 2, spans: 1 },
    ])
  })

  test('letters that left their topic are known from the ledger, and no more of them than it says', async () => {
    await append(spansOf(5))
    await acknowledge(1)
    const entry = {
      topic,
      partition: 0,
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
    await createLedger({ log: opened.log, columnStore, group: groupNames.writer }).record(entry, { again: false })
    expect(await missing(audit())).toBe(5)
    // One that a newer release wrote stands for those that are gone. It is there before anybody looks.
    await columnStore.command('TRUNCATE TABLE ingest_audit')
    await opened.log.append(topicNames.deadLetter, [{ key: null, value: Buffer.from('of another release'), partition: 0 }])
    expect(await missing(audit())).toBe(1)
  })

  describe('beside dead letters of its chunk', () => {
    const letter = (offset: number, index: number | null, more: { readonly of?: string; readonly raw?: Uint8Array } = {}) => {
      const { of = topic, raw = Buffer.alloc(0) } = more
      const value = encodeDeadLetter({
        ...{ id: deadLetterId(of, 0, offset, index), stage: 'encode', reason: 'by hand', message: '', projectId },
        ...{ topic: of, partition: 0, offset, index, raw, atMs: 0 },
      })
      return opened.log.append(topicNames.deadLetter, [{ key: null, value, partition: 0 }])
    }
    const purge = async () => {
      const described = (await opened.log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)!
      for (const { partition, highWatermark } of described.partitions)
        await opened.log.deleteBefore(topicNames.deadLetter, partition, highWatermark)
    }
    const tell = (records: number, spans: number, deadLettered: number) =>
      createLedger({ log: opened.log, columnStore, group: groupNames.writer }).record(
        {
          ...{ topic, partition: 0, first: 0, last: records - 1, records, spans, rows: spans - deadLettered, deadLettered },
          ...{ denied: 0, bodyHash: '', versions: {} },
        },
        { again: false },
      )
    /** Three records of one chunk: nothing lacks in the first but one span, the second has letters, the third is one. */
    async function chunk(): Promise<void> {
      const first = await append(spansOf(4))
      const second = await append(spansOf(4, 10))
      await append(spansOf(3, 20))
      await insertRows(columnStore, [...first.slice(1), ...second.slice(2)])
      await tell(3, 11, 5)
      await acknowledge(3)
    }
    const letters = async () => {
      await letter(1, 0)
      await letter(1, 1)
      await letter(2, null, { raw: batchOf(spansOf(3, 20), { projectId }) })
    }

    test('a span stays missing though letters of others have left the topic before', async () => {
      await letter(99, 0)
      await purge()
      await chunk()
      await letters()
      const one = audit()
      for (let look = 0; look < 3; look++) expect(await missing(one)).toBe(1)
      expect(one.status()[0]!.missing).toMatchObject([{ first: 0, last: 0, spans: 1 }])
    })

    test('it stays missing when all of them are purged, and nothing else is', async () => {
      await chunk()
      await letters()
      const rows = await append(spansOf(2, 30))
      await insertRows(columnStore, rows.slice(1))
      await acknowledge(4)
      const one = audit()
      expect(await missing(one)).toBe(2)
      await purge()
      for (let look = 0; look < 3; look++) expect(await missing(one)).toBe(2)
      // And who takes the partition over knows it, too.
      expect(await missing(audit())).toBe(2)
    })

    test('what became a dead letter on its way over spans.filled is not missing on spans.staging', async () => {
      const { staging, filled } = topicNames
      const rows = await append(spansOf(4), {}, staging)
      await append(spansOf(3, 10), {}, staging)
      const of = (offset: number) => ({ staged: { partition: 0, offset, timestampMs: rows[0]!.eventTsUs / 1000, generation: 0 } })
      await append(spansOf(4), of(0), filled)
      await append(spansOf(3, 10), of(1), filled)
      await insertRows(columnStore, rows.slice(2))
      await letter(0, 0, { of: filled })
      await letter(1, null, { of: filled, raw: batchOf(spansOf(3, 10), { projectId, ...of(1) }) })
      await commitTo(opened.log, groupNames.propagator, staging, 0, 2)
      await acknowledge(2, filled)
      const one = audit({}, [staging])
      expect(await missing(one, staging)).toBe(1)
      await letter(0, 1, { of: filled })
      expect(await missing(one, staging)).toBe(0)
    })
  })

  test('offsets that the log has lost: at least one span each', async () => {
    const rows = [...(await append(spansOf(2))), ...(await append(spansOf(2, 2))), ...(await append(spansOf(2, 4)))]
    await insertRows(columnStore, rows)
    await acknowledge(3)
    const log: EventLog = {
      ...opened.log,
      async read(...asked) {
        const batch = await opened.log.read(...asked)
        return { ...batch, records: batch.records.filter(({ offset }) => offset !== 1) }
      },
    }
    expect(await missing(audit({ log }))).toBe(1)
  })
})

describe('the cursor', () => {
  const readFrom = (): { log: EventLog; offsets: number[] } => {
    const offsets: number[] = []
    const read: EventLog['read'] = (name, partition, from, maxBytes) => {
      if (name === topic && maxBytes > 1) offsets.push(from)
      return opened.log.read(name, partition, from, maxBytes)
    }
    return { log: { ...opened.log, read }, offsets }
  }

  test('a restart goes on from where it was, and still knows what was missing', async () => {
    const rows = [...(await append(spansOf(3))), ...(await append(spansOf(4, 3)))]
    await insertRows(columnStore, rows.slice(0, 2))
    await acknowledge(2)
    const first = audit()
    expect(await missing(first)).toBe(5)
    await first.stop()
    await insertRows(columnStore, await append(spansOf(5, 10)))
    await acknowledge(3)
    const { log, offsets } = readFrom()
    const next = audit({ log })
    expect(await missing(next)).toBe(5)
    // Range 0–1 again and again, and only the new offset beside it.
    expect(new Set(offsets)).toEqual(new Set([0, 2]))
    await insertRows(columnStore, rows)
    expect(await missing(next)).toBe(0)
  })

  test('an offset that was moved back is walked again from there', async () => {
    await insertRows(columnStore, [...(await append(spansOf(3))), ...(await append(spansOf(4, 3))), ...(await append(spansOf(1, 9)))])
    const { log, offsets } = readFrom()
    let offset = 3
    const one = audit({ log: { ...log, committed: async () => new Map([[0, { offset, metadata: '' }]]) } })
    expect(await missing(one)).toBe(0)
    offset = 1
    expect(await missing(one)).toBe(0)
    await deleteRows(columnStore, 'events_full', `project_id = '${projectId}'`)
    offset = 3
    expect(await missing(one)).toBe(5)
    expect(offsets.slice(0, 2)).toEqual([0, 1])
  })

  test('an offset that was moved back into what is missing: what is not acknowledged any more is not missing, and nothing counts twice', async () => {
    await append(spansOf(1))
    await append(spansOf(1, 5))
    let offset = 2
    const one = audit({ log: { ...opened.log, committed: async () => new Map([[0, { offset, metadata: '' }]]) } })
    expect(await missing(one)).toBe(2)
    offset = 1
    expect(await missing(one)).toBe(1)
    offset = 2
    expect(await missing(one)).toBe(2)
  })

  test('a log made anew begins anew', async () => {
    await insertRows(columnStore, [...(await append(spansOf(3))), ...(await append(spansOf(4, 3)))])
    await acknowledge(2)
    const first = audit()
    expect(await missing(first)).toBe(0)
    await first.stop()
    audits = []
    await opened.close()
    opened = await openTestLog()
    await append(spansOf(6, 20))
    await append(spansOf(2, 30))
    await acknowledge(2)
    expect(await missing(audit())).toBe(8)
  })

  test('what retention takes before the audit comes is counted, and so is what it takes of missing spans', async () => {
    const clock = manualClock(Date.now())
    await opened.close()
    opened = await openTestLog(spec => (spec.name === topic ? { ...spec, retentionMs: 1_000, readers: [] } : spec), clock.now)
    passed.length = 0
    lost.length = 0
    await append(spansOf(2))
    await acknowledge(1)
    const one = audit({ clock: clock.now })
    expect(await missing(one)).toBe(2)
    const rows = await append(spansOf(3, 3))
    await append(spansOf(4, 7))
    clock.advance(60_000)
    await insertRows(columnStore, rows)
    await append(spansOf(1, 20))
    await acknowledge(4)
    await opened.log.maintain()
    expect(await missing(one)).toBe(1)
    expect({ passed, lost }).toEqual({ passed: [[1, 3]], lost: [[0, 0, 2]] })
  })
})

test('staged spans are judged once what was published of them is stored, and an open window is not missing', async () => {
  const { staging, filled } = topicNames
  const one = audit({}, [staging])
  const rows = await append(spansOf(4), {}, staging)
  expect(await missing(one, staging)).toBe(0)
  // The propagator has published one record, and the writer has not come to it.
  await append(spansOf(4), { staged: { partition: 0, offset: 0, timestampMs: 0, generation: 0 } }, filled)
  await commitTo(opened.log, groupNames.propagator, staging, 0, 1)
  expect(await missing(one, staging)).toBe(0)
  await acknowledge(1, filled)
  expect(await missing(one, staging)).toBe(4)
  await insertRows(columnStore, rows)
  expect(await missing(one, staging)).toBe(0)
})

test('a column store that is down, or a replica that is behind, judges nothing', async () => {
  await insertRows(columnStore, await append(spansOf(3)))
  await append(spansOf(3, 3))
  await acknowledge(2)
  const behind: ColumnStore = { ...columnStore, replicated: true, command: () => Promise.reject(new Error('timeout')) }
  const one = audit({ columnStore: behind })
  await expect(one.round()).rejects.toMatchObject({ code: 'column_store_unavailable' })
  expect(one.status()[0]!.missing).toEqual([])
})

test('any rows deleted: exactly they are missing, and none when they are back', async () => {
  const records = fc.array(
    fc.record({ count: fc.integer({ min: 0, max: 12 }), encoding: fc.constantFrom('identity' as const), lies: fc.nat(2) }),
    { minLength: 1, maxLength: 5 },
  )
  const edges = fc.constantFrom<readonly [bigint, bigint]>([1n, 1n], [0n, 1n], [0n, 0n], [1n, 0n])
  await fc.assert(
    fc.asyncProperty(records, fc.array(edges, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat(3)), async (made, times, dice) => {
      projectId = `project-${projects++}`
      await opened.close()
      opened = await openTestLog()
      const rows: RowVersion[] = []
      let lies = 0
      for (const [number, { count, lies: more }] of made.entries()) {
        const spans = spansOf(count, number * 20).map((span, i) => {
          const [start, end] = times[i % times.length]!
          return { ...span, startNs: span.startNs! * start, endNs: (span.startNs! + 999n) * end }
        })
        rows.push(...(await append(spans, { spanCount: count + more })))
        lies += more
      }
      const fate = rows.map(() => dice.next().value as number)
      // 0: in neither table; 1: only in core; 2 and 3: in both.
      await insertRows(
        columnStore,
        rows.filter((_, i) => fate[i]! > 0),
      )
      const onlyCore = rows.filter((_, i) => fate[i] === 1).map(({ spanId }) => `'${spanId}'`)
      if (onlyCore.length > 0) await deleteRows(columnStore, 'events_full', `project_id = '${projectId}' AND span_id IN (${onlyCore})`)
      await acknowledge(made.length)
      const one = audit()
      expect(await missing(one)).toBe(lies + fate.filter(is => is < 2).length)
      await insertRows(columnStore, rows)
      expect(await missing(one)).toBe(lies)
      await one.stop()
    }),
    { numRuns: 5 },
  )
})

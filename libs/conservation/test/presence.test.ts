import type { ColumnStore } from '@svc-server/column-store/port'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsKey, type RowVersion, type TableKey } from '../src/presence/key.ts'
import { absentFrom, absentFromAny } from '../src/presence/presence.ts'
import { deleteRows, type HandRow, insertRows, startTestEngine, type TestEngine } from './tables.ts'

const november = Date.UTC(2026, 10, 21, 12) * 1000
const tables = ['events_full', 'events_core'] as const

let engine: TestEngine
let store: ColumnStore

beforeAll(async () => {
  engine = await startTestEngine()
  store = await engine.tables()
})
afterAll(() => engine.stop())

let next = 0
const version = (more: Partial<HandRow> = {}): HandRow => ({
  projectId: 'p',
  traceId: `trace-${next}`,
  spanId: `span-${next++}`,
  startTimeUs: november,
  eventTsUs: november + 5,
  ...more,
})

/** Queries several tables at once. The lookup must report every row that is missing in at least one table. */
async function absent(versions: readonly RowVersion[], bytesPerQuery?: number): Promise<(readonly number[])[]> {
  const options = bytesPerQuery === undefined ? {} : { bytesPerQuery }
  const ofEach = await Promise.all(tables.map(table => absentFrom(store, table, eventsKey, versions, options)))
  const ofAny = [...new Set(ofEach.flat())].sort((a, b) => a - b)
  expect(await absentFromAny(store, tables, eventsKey, versions, options)).toEqual(ofAny)
  return ofEach
}
const both = (numbers: readonly number[]) => [numbers, numbers]

test('reports the table that lacks a row of the other table', async () => {
  const rows = [version({ projectId: 'core-only' }), version({ projectId: 'core-only' })]
  await insertRows(store, rows)
  await deleteRows(store, 'events_core', `span_id = '${rows[1]!.spanId}'`)
  expect(await absent(rows)).toEqual([[], [1]])
})

describe('a version is present where its key has a row at least as new', () => {
  test('the same row is present', async () => {
    const row = version()
    await insertRows(store, [row])
    expect(await absent([row])).toEqual(both([]))
  })
  test('finds a row with ids longer than a statement may be', async () => {
    const rows = ['日'.repeat(29_200), "'".repeat(900_000), '\\'.repeat(300_000)].map(spanId => version({ spanId }))
    await insertRows(store, rows.slice(0, 2))
    expect(await absent(rows)).toEqual(both([2]))
  })
  test('an empty list has no absent rows', async () => {
    expect(await absent([])).toEqual(both([]))
  })
  test('a version that is newer by one microsecond is accepted, and so is the same version twice', async () => {
    const row = version()
    await insertRows(store, [{ ...row, eventTsUs: row.eventTsUs + 1 }])
    await insertRows(store, [{ ...row, eventTsUs: row.eventTsUs + 1 }])
    expect(await absent([row, row])).toEqual(both([]))
  })
  test('a version that is older by one microsecond is not accepted', async () => {
    const row = version()
    await insertRows(store, [{ ...row, eventTsUs: row.eventTsUs - 1 }])
    expect(await absent([row])).toEqual(both([0]))
  })
  test('a tombstone counts', async () => {
    const row = version()
    await insertRows(store, [{ ...row, eventTsUs: row.eventTsUs + 9, isDeleted: true }])
    expect(await absent([row])).toEqual(both([]))
  })
  test('a difference in any column of the key counts', async () => {
    const row = version()
    await insertRows(store, [row])
    const others = [
      { ...row, projectId: 'q' },
      { ...row, traceId: 'other' },
      { ...row, spanId: 'other' },
      { ...row, startTimeUs: row.startTimeUs + 1 },
    ]
    expect(await absent([row, ...others])).toEqual(both([1, 2, 3, 4]))
  })
  test('an absent key is returned as often as it is listed', async () => {
    const row = version()
    expect(await absent([row, version(), row])).toEqual(both([0, 1, 2]))
  })
  test('finds texts that could be mistaken for syntax', async () => {
    const projects = [
      "it's",
      "'".repeat(3000),
      'a\\b',
      'tab\tline\nend',
      "['x']",
      '',
      '名前',
      '{x:String}',
      'NULL',
      '\\N',
      'a/b:c;d,e',
      '%2F+ 100%',
      '\0',
      '👋',
    ]
    const rows = projects.map(projectId => version({ projectId, traceId: `t${projectId}`, spanId: `s${projectId}` }))
    await insertRows(store, rows)
    expect(await absent([...rows, version({ projectId: 'half of a pair: \ud800' })])).toEqual(both([rows.length]))
  })
})

describe('with places, the order on the log decides between equal versions', () => {
  const prefix = 'spans.direct/1/'
  type Placed = HandRow & { readonly offset: number; readonly index: number }
  const placed: TableKey<Placed> = { ...eventsKey, places: { sql: 'blob_storage_file_path', prefix, of: row => row } }
  const at = (offset: number, index: number, more: Partial<HandRow> = {}): Placed => ({
    ...version({ provenance: `${prefix}${offset}#${index}`, ...more }),
    ...{ offset, index },
  })
  /** Stores rows with one key and different log positions. Returns the entries of `asked` that have no row. */
  async function absentAfter(stored: readonly Placed[], asked: readonly Placed[], bytesPerQuery?: number) {
    const { traceId, spanId } = version()
    const ofKey = (rows: readonly Placed[]) => rows.map(row => ({ ...row, traceId, spanId }))
    for (const row of ofKey(stored)) await insertRows(store, [row])
    const options = bytesPerQuery === undefined ? {} : { bytesPerQuery }
    return absentFrom(store, 'events_full', placed, ofKey(asked), options)
  }

  test('the same place or a later place counts as present', async () => {
    const asked = [at(7, 10), at(8, 8), at(8, 9), at(8, 10), at(10, 0)]
    for (const bytes of [undefined, 1]) expect(await absentAfter([at(8, 9), at(7, 10)], asked, bytes)).toEqual([3, 4])
  })
  test('a place on another partition, or none, counts as present, because the order is unknown', async () => {
    for (const provenance of ['', 'spans.direct/11/3#0', 'spans.direct/0/9#0', 'spans.filled/1/3#0']) {
      expect(await absentAfter([at(3, 0), at(0, 0, { provenance })], [at(4, 0)])).toEqual([])
    }
  })
  test('an older version never counts, wherever it is, and a newer one always does', async () => {
    const [older, newer] = [november + 4, november + 6]
    expect(await absentAfter([at(9, 0, { eventTsUs: older }), at(0, 0, { provenance: '', eventTsUs: older })], [at(4, 0)])).toEqual([0])
    expect(await absentAfter([at(3, 0, { eventTsUs: newer })], [at(4, 0)])).toEqual([])
  })
  test('rows of other keys do not count', async () => {
    const rows = [at(1, 0), at(2, 0), at(3, 0)]
    await insertRows(store, [rows[0]!, rows[2]!])
    expect(await absentFrom(store, 'events_full', placed, rows)).toEqual([1])
  })
})

test('distinguishes two traces with one hash', async () => {
  const [pair] = await store.query<{ traces: string[] }>(
    `SELECT groupArray(2)(lower(hex(sipHash128(number)))) AS traces FROM numbers(300000)
     GROUP BY xxHash32(lower(hex(sipHash128(number)))) HAVING length(traces) = 2 LIMIT 1`,
  )
  const [one, other] = pair!.traces.map(traceId => version({ traceId, spanId: 'same' }))
  await insertRows(store, [one!])
  expect(await absent([other!, one!])).toEqual(both([0]))
})

test('the result does not depend on months, parts or the number of queries', async () => {
  const rows = Array.from({ length: 18 }, (_, i) => version({ startTimeUs: november - i * 20 * 86_400e6 }))
  const stored = rows.filter((_, i) => i % 3 !== 0)
  await insertRows(store, stored.slice(0, 5))
  await insertRows(store, stored.slice(5))
  const expected = rows.flatMap((_, i) => (i % 3 === 0 ? i : []))
  for (const bytesPerQuery of [100_000, 700, 1]) expect(await absent(rows, bytesPerQuery)).toEqual(both(expected))
})

test('one query suffices for both tables when every row is stored unchanged, and two versions of a key are distinguished', async () => {
  const rows = Array.from({ length: 5 }, () => version())
  await insertRows(store, rows)
  let queries = 0
  const counting: ColumnStore = {
    ...store,
    query: (...asked: Parameters<ColumnStore['query']>) => {
      queries += 1
      return store.query(...asked)
    },
  }
  const asked = (list: readonly RowVersion[]) => absentFromAny(counting, tables, eventsKey, list)
  expect(await asked([...rows, rows[0]!])).toEqual([])
  expect(queries).toBe(1)
  const newer = { ...rows[2]!, eventTsUs: rows[2]!.eventTsUs + 1 }
  expect(await asked([...rows, newer])).toEqual([5])
  await insertRows(store, [newer])
  expect(await asked([...rows, newer])).toEqual([])
  await deleteRows(store, 'events_core', `span_id = '${rows[4]!.spanId}'`)
  expect(await asked(rows)).toEqual([4])
})

const many = sized(125_000, 25_000)
test(`${many} keys`, async () => {
  const lacking = [3, 17_777, many - 1]
  const rows = Array.from({ length: many }, (_, i) =>
    version({ projectId: `many-${i % 600}`, traceId: `m-${Math.floor(i / 10)}`, spanId: `m-${i}`, startTimeUs: november + i }),
  )
  await store.command(
    `INSERT INTO events_full (project_id, trace_id, span_id, start_time, event_ts)
     SELECT 'many-' || toString(number % 600), 'm-' || toString(intDiv(number, 10)), 'm-' || toString(number),
       fromUnixTimestamp64Micro({start:Int64} + toInt64(number)), fromUnixTimestamp64Micro({start:Int64} + 5)
     FROM numbers(${many}) WHERE number NOT IN (${lacking.join()})`,
    { start: november },
  )
  expect(await absent(rows)).toEqual(both(lacking))
})

test('equals a model for any mixture of versions', async () => {
  const keyed = fc.record({ key: fc.nat(5), at: fc.nat(4), isDeleted: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(keyed, { maxLength: 12 }), fc.array(keyed, { minLength: 1, maxLength: 12 }), async (stored, asked) => {
      const projectId = `model-${next++}`
      const rowOf = ({ key, at, isDeleted }: { key: number; at: number; isDeleted: boolean }): HandRow => ({
        projectId,
        traceId: `t${key >> 1}`,
        spanId: `s${key % 3}`,
        startTimeUs: november + key * 40 * 86_400e6,
        eventTsUs: november + at,
        isDeleted,
      })
      if (stored.length > 0) await insertRows(store, stored.map(rowOf))
      const isPresent = (one: RowVersion) =>
        stored.map(rowOf).some(row => row.startTimeUs === one.startTimeUs && row.spanId === one.spanId && row.eventTsUs >= one.eventTsUs)
      const expected = asked.map(rowOf).flatMap((row, at) => (isPresent(row) ? [] : at))
      expect(await absent(asked.map(rowOf), 500)).toEqual(both(expected))
    }),
    { numRuns: sized(10, 4) },
  )
})

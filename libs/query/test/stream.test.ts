// In every format, a stream must have the same rows as the list, in the same order.
import { zstdDecompressSync } from 'node:zlib'
import type { StreamType } from '@svc-server/api/streams'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryMetrics } from '../src/metrics/index.ts'
import { listObservations, type ObservationsQuery, pricesOfTiers, streamObservations } from '../src/observations/index.ts'
import type { Piece } from '../src/stream/index.ts'
import { insertRows, openEngine, stored, type TestEngine } from './engine.ts'

let engine: TestEngine
let columnStore: ColumnStore
const at = BigInt(Date.UTC(2026, 0, 31, 23, 59, 59)) * 1000n
const texts = ['', 'a "quoted" text', 'é💥\u2028', 'line\nbreak\r\n, comma', "it's \\ {x:String}", '=1+1', 'l'.repeat(300)]
const textOf = (at: number) => texts[at % texts.length]!

const row = (i: number) => ({
  ...{ project_id: 'p', trace_id: `t${i % 7}`, span_id: `s${i}`, parent_span_id: i % 3 === 0 ? '' : 's0', name: textOf(i), type: 'SPAN' },
  // Many rows have the same microsecond. Some rows are from before 1970.
  ...{
    start_time: stored(i % 50 === 0 ? -1n - BigInt(i) : i % 3 === 1 ? at + BigInt(i) * 1_200_000_000n : at + BigInt(i >> 4)),
    event_ts: stored(at + BigInt(i)),
  },
  ...{ end_time: i % 5 === 0 ? null : stored(at + BigInt(i) * 1_000n), completion_start_time: i % 4 === 0 ? stored(at + 999n) : null },
  ...{ level: i % 9 === 0 ? 'ODD' : 'ERROR', environment: 'default', bookmarked: i % 2 === 0, tags: i % 2 === 0 ? ['b', textOf(i)] : [] },
  ...{ input: textOf(i + 1), output: textOf(i + 2), user_id: textOf(i + 3), model_id: ['', 'm', 'n'][i % 3], provided_model_name: 'gpt' },
  model_parameters: ['', '{"temperature":0.5,\n "stop":["\\n"]}', 'no JSON', '[1]'][i % 4],
  ...{
    usage_details: i % 2 === 0 ? { input: 3, '7': 9_007_199_254_740_993n.toString() } : {},
    cost_details: i % 3 === 0 ? { total: 0.0105 } : {},
  },
  ...{ usage_pricing_tier_name: i % 2 === 0 ? null : 'standard', prompt_version: i % 2 === 0 ? 3 : null, prompt_name: textOf(i) },
  metadata_names: i % 6 === 0 ? [] : ['a.b', 'n', 'bad', 'yes', 'list', 'cut', 'none', 'twice', 'twice', '__proto__', ''],
  metadata_values:
    i % 6 === 0 ? [] : ['5', '5.5', 'NaN', 'true', '[1,\n"a"]', `["${'l'.repeat(300)}"]`, '', 'first', textOf(i), 'x', textOf(i)],
  metadata_types: i % 6 === 0 ? [] : [0, 1, 1, 2, 3, 3, 4, 0, 0, 0, 0],
  ...{ created_at: stored(at), updated_at: stored(at + 1_999n) },
})
const count = 1_200

beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
  const rows = Array.from({ length: count }, (_, i) => row(i))
  await columnStore.command('SYSTEM STOP MERGES events_full')
  await insertRows(
    columnStore,
    'events_full',
    rows.slice(0, 300).map(each => ({ ...each, name: 'superseded', event_ts: stored(at - 5n) })),
  )
  await insertRows(columnStore, 'events_full', rows)
  await insertRows(
    columnStore,
    'events_full',
    rows.slice(0, 20).map(each => ({ ...each, event_ts: stored(at + 10_000_000n), is_deleted: 1 })),
  )
})
afterAll(() => engine[Symbol.asyncDispose]())

const pricesOf = async () => new Map([['m', pricesOfTiers([{ isDefault: true, prices: { input: '0.000001', total: '0.5' } }])]])
const fields = 'core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context'

async function listed(query: ObservationsQuery) {
  const data: object[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await listObservations(
      columnStore,
      { projectId: 'p', query: { ...query, limit: 1_000, cursor }, signal: undefined },
      pricesOf,
    )
    data.push(...page.data)
    cursor = page.meta.cursor
    if (cursor === undefined) return data
  }
}

type Store = Pick<ColumnStore, 'query' | 'queryBytes'>
async function streamed(type: StreamType, query: ObservationsQuery, store: Store = columnStore, projectId = 'p') {
  const turn = <T>(work: () => Promise<T>) => work()
  const pieces: Piece[] = []
  const { signal } = new AbortController()
  for await (const { bytes, rows } of await streamObservations(store, { projectId, query, type, signal, turn }, pricesOf)) {
    pieces.push({ bytes: Uint8Array.from(bytes), rows })
    // The API frees the bytes after it has sent them. It does not free a buffer from Node's pool, because other buffers share the pool's
    // memory.
    const { buffer } = bytes
    if (buffer instanceof ArrayBuffer && ![0, Buffer.poolSize].includes(buffer.byteLength)) buffer.transfer(0)
  }
  const bytes = Buffer.concat(pieces.map(piece => piece.bytes))
  return { bytes, pieces, rows: pieces.reduce((sum, piece) => sum + piece.rows, 0), lines: bytes.toString().split('\n').slice(0, -1) }
}

const isRoot = JSON.stringify([{ type: 'boolean', column: 'isRootObservation', operator: '=', value: true }])
const ofModel = JSON.stringify([{ type: 'number', column: 'inputPrice', operator: '>', value: 0 }])

test.each([
  ['everything', { fields }],
  ['metadata whole', { fields: 'metadata', expandMetadata: '*' }],
  ['metadata cut', { fields: 'metadata' }],
  ['a filter', { filter: isRoot }],
  ['a price', { filter: ofModel, fields: 'model' }],
  ['nothing', { traceId: 'nobody' }],
  ['one millisecond', { fromStartTime: '2026-01-31T23:59:59Z', toStartTime: '2026-01-31T23:59:59.001Z' }],
] as const)('streams the elements of the list as lines: %s', async (_, query) => {
  const [expected, { lines, rows }] = [await listed(query), await streamed('application/x-ndjson', query)]
  expect(lines.map(line => JSON.parse(line) as unknown)).toEqual(expected)
  expect(lines.map(line => Object.keys(JSON.parse(line) as object))).toEqual(expected.map(each => Object.keys(each)))
  expect(rows).toBe(expected.length)
})

test('a stream consists of several slices and ends at its limit', async () => {
  expect((await streamed('application/x-ndjson', {})).pieces.length).toBeGreaterThan(2)
  const { lines, rows } = await streamed('application/x-ndjson', { limit: 617 })
  expect([rows, lines.length]).toEqual([617, 617])
  expect(lines.map(line => JSON.parse(line) as unknown)).toEqual((await listed({})).slice(0, 617))
  expect((await streamed('application/x-ndjson', { limit: 0 })).bytes).toHaveLength(0)
  await expect(streamed('text/csv', { cursor: 'x' })).rejects.toMatchObject({
    name: 'InvalidQuery',
    message: expect.stringContaining('cursor'),
  })
})

test('two slices are read at the same time, also with a limit', async () => {
  await insertRows(
    columnStore,
    'events_full',
    Array.from({ length: 4_000 }, (_, i) => ({ ...row(i), project_id: 'many' })),
  )
  const third = Promise.withResolvers<void>()
  let slices = 0
  const store: Store = {
    query: columnStore.query,
    async queryBytes(...asked) {
      const slice = ++slices
      if (slice === 3) third.resolve()
      const bytes = await columnStore.queryBytes(...asked)
      if (slice === 2) await third.promise
      return bytes
    },
  }
  const limit = 3_900
  const { lines } = await streamed('application/x-ndjson', { limit, fields: 'core' }, store, 'many')
  expect([lines.length, new Set(lines).size]).toEqual([limit, limit])
})

test('one search finds the keys of several slices', async () => {
  const asked = { slices: 0, searches: 0 }
  const store: Store = {
    query(text, ...more) {
      if (text.includes('AS borders')) asked.searches++
      return columnStore.query(text, ...more)
    },
    queryBytes(...more) {
      asked.slices++
      return columnStore.queryBytes(...more)
    },
  }
  const { lines } = await streamed('application/x-ndjson', { fields: 'core' }, store, 'many')
  expect([lines.length, asked]).toEqual([4_000, { slices: 3, searches: 2 }])
})

test('a slice of too many bytes is read in halves', async () => {
  const most = sized(40, 150)
  let refused = 0
  const store: Store = {
    query: columnStore.query,
    async queryBytes(...asked) {
      const bytes = await columnStore.queryBytes(...asked)
      if (Buffer.from(bytes).toString().split('\n').length <= most) return bytes
      refused++
      throw new AppError('column_store_overloaded', 'Query: Limit for result exceeded, max bytes: 48.00 MiB (code 396)')
    },
  }
  const { lines } = await streamed('application/x-ndjson', { fields }, store)
  expect(lines.map(line => JSON.parse(line) as unknown)).toEqual(await listed({ fields }))
  expect(refused).toBeGreaterThan(2)
})

test('CSV has one header line, and counts rows whose texts contain line breaks', async () => {
  const { bytes, rows } = await streamed('text/csv', { fields })
  const expected = await listed({ fields })
  expect(rows).toBe(expected.length)
  const [names, ...records] = csvRecords(bytes.toString())
  expect(names).toEqual(Object.keys(expected[0]!))
  expect(records).toEqual(expected.map(each => Object.entries(each).map(csvText)))
  expect((await streamed('text/csv', { traceId: 'nobody' })).lines).toHaveLength(1)
})

test('joins the slices into one Parquet file', async () => {
  const expected = await listed({ fields })
  const { bytes, rows } = await streamed('application/vnd.apache.parquet', { fields })
  const records = await parquetRecords(bytes)
  expect([rows, records.length]).toEqual([expected.length, expected.length])
  const asked = [
    'id',
    'startTime',
    'name',
    'bookmarked',
    'input',
    'latency',
    'totalCost',
    'tags',
    'inputPrice',
    'isRootObservation',
    'promptVersion',
  ]
  const asShown = (each: object) => Object.fromEntries(Object.entries(each).filter(([name]) => asked.includes(name)))
  expect(records.map(each => asShown(plainValues(each)))).toEqual(expected.map(asShown))
  expect(records.map(({ metadata }) => JSON.parse(String(metadata)))).toEqual(expected.map(each => (each as { metadata: object }).metadata))
  expect(await parquetRecords((await streamed('application/vnd.apache.parquet', { traceId: 'nobody' })).bytes)).toEqual([])
})

const text = fc.constantFrom(...texts)
const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const anyCondition = fc.oneof(
  fc.record({
    type: pick('string'),
    column: pick('name', 'userId', 'promptName', 'traceId', 'type', 'environment'),
    operator: pick('=', 'contains', 'does not contain', 'starts with'),
    value: fc.oneof(text, pick('t1', 'SPAN', 'a', 'l'.repeat(250))),
  }),
  fc.record({
    type: pick('stringOptions'),
    column: pick('level', 'name'),
    operator: pick('any of', 'none of'),
    value: pick(['ERROR'], ['ODD', '']),
  }),
  fc.record({ type: pick('null'), column: pick('userId', 'promptVersion'), operator: pick('is null', 'is not null'), value: pick('') }),
  fc.record({ type: pick('boolean'), column: pick('isRootObservation'), operator: pick('=', '<>'), value: fc.boolean() }),
  fc.record({ type: pick('arrayOptions'), column: pick('tags'), operator: pick('any of', 'none of'), value: pick(['b'], ['=1+1']) }),
  fc.record({
    type: pick('stringObject'),
    column: pick('metadata'),
    key: pick('twice', 'cut', 'n', 'nobody'),
    operator: pick('contains', 'does not contain', '=', 'is set'),
    value: fc.oneof(text, pick('l'.repeat(250), '5.5')),
  }),
)
const anyMoment = fc.integer({ min: -40, max: 500 }).map(hours => new Date(Number(at / 1000n) + hours * 3_600_000).toISOString())

test('lists, metrics and streams count the same rows for any filter, range and time zone, and days sum to the range', async () => {
  const asked = fc.record({
    filter: fc.array(anyCondition, { maxLength: 2 }),
    range: fc.tuple(anyMoment, anyMoment).filter(([from, to]) => from < to),
    timeZone: pick('UTC', 'America/St_Johns', 'Pacific/Auckland', 'Asia/Kolkata'),
    granularity: pick('day', 'week', 'month', 'hour'),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ filter, range: [from, to], timeZone, granularity }) => {
      const query = { filter: JSON.stringify(filter), fromStartTime: from, toStartTime: to }
      const counted = async (more: object) => {
        const asked = {
          view: 'observations',
          fromTimestamp: from,
          toTimestamp: to,
          filters: filter,
          timeZone,
          config: { row_limit: 1_000 },
          ...more,
        }
        const { data } = await queryMetrics(columnStore, { projectId: 'p', query: JSON.stringify(asked), signal: undefined })
        return data.reduce((sum, each) => sum + Number(each['count_count']), 0)
      }
      const metrics = [{ measure: 'count', aggregation: 'count' }]
      const inList = (await listed(query)).length
      expect({
        stream: (await streamed('text/csv', query)).rows,
        metrics: await counted({ metrics }),
        buckets: await counted({ metrics, timeDimension: { granularity } }),
      }).toEqual({ stream: inList, metrics: inList, buckets: inList })
    }),
    { numRuns: sized(8, 3) },
  )
})

const parquetRecords = (bytes: Buffer) =>
  parquetReadObjects({
    file: { byteLength: bytes.length, slice: (from, to) => Uint8Array.from(bytes.subarray(from, to)).buffer },
    compressors: { ZSTD: zipped => zstdDecompressSync(zipped) },
  }) as Promise<Record<string, unknown>[]>

const plainValues = (record: object) =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? Number(value) : (value ?? null),
    ]),
  )

/** Returns the value as a CSV stream writes it. Model parameters are always JSON, even if they are a single text. */
function csvText([name, value]: readonly [string, unknown]): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' || name === 'modelParameters' ? canonical(JSON.stringify(value)) : String(value)
}

/** Makes JSON objects and lists comparable. Leaves numbers unchanged, because a JSON parser would change numbers beyond 2^53. */
const canonical = (text: string) => {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : text
  } catch {
    return text
  }
}

/** Parses CSV as RFC 4180 defines it. */
function csvRecords(text: string): readonly (readonly string[])[] {
  const records: string[][] = [[]]
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    records.at(-1)!.push(quoted === undefined ? (bare ?? '') : canonical(quoted.replaceAll('""', '"')))
    if (end === '\n') records.push([])
  }
  return records.slice(0, -1)
}

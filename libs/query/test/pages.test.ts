// On the real engine, `listObservations` must read a page with few queries, and the size of the page must be limited. If a query over the
// whole range takes too long, `listObservations` must divide the range into slices.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listObservations, type ObservationsQuery } from '../src/observations/index.ts'
import { insertRows, openEngine, stored, type TestEngine } from './engine.ts'

let engine: TestEngine
let columnStore: ColumnStore
beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
})
afterAll(() => engine[Symbol.asyncDispose]())

const at = BigInt(Date.UTC(2026, 0, 31, 23, 59, 59)) * 1_000n
const list = (query: ObservationsQuery, projectId: string) =>
  listObservations(columnStore, { projectId, query, signal: undefined }, async () => new Map())
const row = (project_id: string, span_id: string, more: object = {}) => ({
  ...{ project_id, span_id, trace_id: 't', start_time: stored(at + BigInt(span_id)), event_ts: stored(at), name: 'n' },
  ...more,
})

test('a page ends early when its rows are long, and its cursor continues there', async () => {
  const input = 'é'.repeat(1_500_000)
  for (const span of ['1', '2', '3', '4']) await insertRows(columnStore, 'events_full', [row('long', span, { input })])
  const first = await list({ fields: 'io' }, 'long')
  expect([first.data.map(({ id }) => id), first.meta.cursor]).toEqual([['4', '3', '2'], expect.any(String)])
  const { cursor } = first.meta
  expect(await list({ fields: 'io', cursor }, 'long')).toMatchObject({ data: [{ id: '1', input }], meta: {} })
  expect((await list({}, 'long')).data).toHaveLength(4)
  const ofTrace = { fields: 'io', traceId: 't' }
  const { data, meta } = await list(ofTrace, 'long')
  expect([data, (await list({ ...ofTrace, cursor: meta.cursor }, 'long')).data]).toEqual([first.data, [{ ...data[0], id: '1', input }]])
})

test('reads a trace in one query, and other lists in two', async () => {
  await insertRows(columnStore, 'events_full', [row('queries', '1')])
  async function queriesOf(query: ObservationsQuery) {
    const asked: string[] = []
    const noting: Pick<ColumnStore, 'query'> = { query: (sql, ...given) => columnStore.query(asked[asked.push(sql) - 1]!, ...given) }
    const { data } = await listObservations(noting, { projectId: 'queries', query, signal: undefined }, async () => new Map())
    return [data.length, asked.length]
  }
  expect([await queriesOf({ traceId: 't', fields: 'io' }), await queriesOf({ fields: 'io' })]).toEqual([
    [1, 1],
    [1, 2],
  ])
})

test('sorts the rows of a trace after it read them, and reads other lists in the order of the key', async () => {
  await insertRows(columnStore, 'events_full', [row('plans', '1')])
  async function readTypeOf(query: ObservationsQuery) {
    const plans: string[] = []
    const explaining: Pick<ColumnStore, 'query'> = {
      async query(sql, params, request) {
        const plan = await columnStore.query<{ readonly explain: string }>(`EXPLAIN indexes = 1 ${sql}`, params)
        plans.push(plan.map(({ explain }) => explain).join('\n'))
        return columnStore.query(sql, params, request)
      },
    }
    await listObservations(explaining, { projectId: 'plans', query, signal: undefined }, async () => new Map())
    return /Read type: (\w+)/.exec(plans[0]!)?.[1]
  }
  expect([await readTypeOf({ traceId: 't', fields: 'io' }), await readTypeOf({ fields: 'io' })]).toEqual(['Default', 'InReverseOrder'])
})

test('reads a list slice by slice when the whole range times out, and ends pages when their time is used', async () => {
  const hour = 3_600_000_000n
  const rows = Array.from({ length: 60 }, (_, i) =>
    row('slow', String(i), { start_time: stored(at - BigInt(i) * hour), name: i % 20 === 7 ? 'rare' : 'n' }),
  )
  await insertRows(columnStore, 'events_full', rows)
  const tooLong = () => Promise.reject(new AppError('column_store_overloaded', 'Query: Timeout exceeded (code 159)'))
  let asked = 0
  let late = false
  const slow: Pick<ColumnStore, 'query'> = {
    query(sql, params, request) {
      const isSearch = sql.includes('e.name = ') && sql.includes('LIMIT {limit')
      // The query over the whole range and the queries of the first slices time out.
      if (isSearch && (!sql.includes('e.start_time >= ') || asked++ < 3 || late)) return tooLong()
      return columnStore.query(sql, params, request)
    },
  }
  const page = (cursor?: string) =>
    listObservations(slow, { projectId: 'slow', query: { name: 'rare', cursor, limit: 50 }, signal: undefined }, async () => new Map())
  expect((await page()).data.map(({ id }) => id)).toEqual(['7', '27', '47'])
  // From here, the time budget of each page ends as soon as the page has found its first rows.
  const found: string[] = []
  let pages = 0
  for (let cursor: string | undefined; ; pages++) {
    late = false
    const deadline = { secondsLeft: () => 20, isLate: () => true }
    const { data, meta } = await listObservations(
      slow,
      { projectId: 'slow', query: { name: 'rare', cursor, limit: 50 }, signal: undefined, deadline },
      async () => new Map(),
    )
    for (const { id } of data) found.push(id)
    cursor = meta.cursor
    if (cursor === undefined) break
    expect(data.length).toBeGreaterThan(0)
  }
  expect([found, pages]).toEqual([['7', '27', '47'], 3])
  late = true
  await expect(page()).rejects.toMatchObject({ code: 'column_store_overloaded' })
})

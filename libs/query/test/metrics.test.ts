// Tests every view, dimension, measure and aggregation of contract §17.4 on the real engine.
import type { ColumnStore } from '@svc-server/column-store/port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bucketOf, bucketText, granularityOf, nextBucket } from '../src/metrics/buckets.ts'
import { queryMetrics } from '../src/metrics/index.ts'
import { observationsView } from '../src/metrics/observations-view.ts'
import { aggregations } from '../src/metrics/query.ts'
import { booleanScores, categoricalScores, numericScores } from '../src/metrics/scores-view.ts'
import { insertRows, openEngine, type TestEngine } from './engine.ts'
import { eventRows, scoreRows, us } from './metrics-rows.ts'

let engine: TestEngine
let columnStore: ColumnStore

beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
  await insertRows(columnStore, 'events_full', eventRows)
  await insertRows(columnStore, 'scores', scoreRows)
})
afterAll(() => engine[Symbol.asyncDispose]())

const range = { fromTimestamp: '2026-02-01T10:00:00Z', toTimestamp: '2026-02-01T14:00:00Z' }
const run = async (query: object) =>
  (
    await queryMetrics(columnStore, {
      projectId: 'p',
      query: JSON.stringify({ view: 'observations', ...range, ...query }),
      signal: undefined,
    })
  ).data
const metric = (measure: string, aggregation: string) => ({ measure, aggregation })
const count = [metric('count', 'count')]
const by = (...fields: readonly string[]) => fields.map(field => ({ field }))

test('counts each observation of the range once, in its newest version', async () => {
  expect(
    await run({
      metrics: [
        ...count,
        metric('totalCost', 'sum'),
        metric('traceId', 'uniq'),
        metric('uniqueUserIds', 'uniq'),
        metric('uniqueUserIds', 'count'),
      ],
    }),
  ).toEqual([{ count_count: 3, sum_totalCost: 0.35, uniq_traceId: 2, uniq_uniqueUserIds: 2, count_uniqueUserIds: 3 }])
})

test('computes every aggregation of a measure, and null without a value', async () => {
  const all = (measure: string) => aggregations.map(aggregation => metric(measure, aggregation))
  const [row] = await run({ metrics: all('latency'), config: { bins: 5 } })
  expect(row).toMatchObject({
    sum_latency: 5_000,
    avg_latency: 5_000 / 3,
    count_latency: 3,
    max_latency: 4_000,
    min_latency: 0,
    uniq_latency: 3,
  })
  expect(row).toMatchObject({
    p50_latency: 1_000,
    p75_latency: 2_500,
    p90_latency: expect.closeTo(3_400),
    p95_latency: expect.closeTo(3_700),
    p99_latency: expect.closeTo(3_940),
  })
  const intervals = row!['histogram_latency'] as [number, number, number][]
  expect(intervals.reduce((sum, [, , height]) => sum + height, 0)).toBe(3)
  expect([intervals[0]![0], intervals.at(-1)![1]]).toEqual([0, 4_000])
  for (const [at, [lower]] of intervals.entries()) if (at > 0) expect(lower).toBe(intervals[at - 1]![1])
  const nothing = Object.fromEntries(
    aggregations.map(aggregation => [
      `${aggregation}_toolCalls`,
      ['sum', 'count', 'uniq'].includes(aggregation) ? 0 : aggregation === 'histogram' ? [] : null,
    ]),
  )
  expect(await run({ metrics: all('toolCalls'), filters: [{ type: 'string', column: 'name', operator: '=', value: 'nobody' }] })).toEqual([
    nothing,
  ])
})

test('computes every measure', async () => {
  const names = observationsView.measures.filter(({ by }) => by === undefined).map(({ name }) => name)
  const [root, llm] = await run({
    ...{ dimensions: by('name', 'environment'), orderBy: [{ field: 'sum_totalCost', direction: 'desc' }] },
    metrics: names.map(name => metric(name, observationsView.measures.find(each => each.name === name)!.numeric ? 'sum' : 'uniq')),
    filters: [{ type: 'number', column: 'promptVersion', operator: '>=', value: 0 }].slice(1),
  })
  expect(root).toEqual({
    ...{
      name: 'n',
      environment: 'default',
      sum_count: 2,
      uniq_traceId: 2,
      uniq_uniqueUserIds: 2,
      uniq_uniqueSessionIds: 1,
      sum_latency: 4_000,
    },
    ...{ sum_streamingLatency: 2_000, sum_timeToFirstToken: 2_000, sum_inputTokens: 10, sum_outputTokens: 6, sum_totalTokens: 16 },
    ...{ sum_outputTokensPerSecond: 3, sum_tokensPerSecond: 4, sum_inputCost: 0.1, sum_outputCost: 0.2, sum_totalCost: 0.3 },
    ...{ sum_countScores: 1, sum_toolDefinitions: 2, sum_toolCalls: 2 },
  })
  expect(llm).toMatchObject({
    name: 'call',
    environment: 'prod',
    sum_countScores: 1,
    sum_inputTokens: 4,
    sum_outputTokens: 0,
    sum_totalTokens: 4,
  })
})

test('queries can group and filter by every dimension of every view; high-cardinality dimensions need an order and a limit', async () => {
  const views = {
    observations: observationsView,
    'scores-numeric': numericScores,
    'scores-boolean': booleanScores,
    'scores-categorical': categoricalScores,
  }
  for (const [view, { dimensions }] of Object.entries(views)) {
    const [all] = await run({ view, metrics: count })
    const everything = dimensions.map(({ name, kind, exploded, elements }) => ({
      column: name,
      ...{
        text: { type: 'stringOptions', operator: 'none of', value: ['nothing has this'] },
        number: { type: 'null', operator: 'is null', value: '' },
        boolean: { type: 'boolean', operator: '=', value: true },
        list: { type: 'arrayOptions', operator: 'none of', value: ['nothing has this'] },
      }[elements ? 'text' : exploded ? 'list' : kind],
    }))
    // The filters in `choosing` exclude no row. The remaining filters of `everything` can exclude rows.
    const choosing = everything.filter(({ column, type }) => type !== 'null' && type !== 'boolean' && !column.endsWith('Type'))
    expect(await run({ view, metrics: count, filters: choosing })).toEqual([all])
    const low = by(...dimensions.filter(({ high, exploded }) => !high && !exploded).map(({ name }) => name))
    const groups = await run({ view, metrics: count, dimensions: low })
    expect(groups.reduce((sum, row) => sum + Number(row['count_count']), 0)).toBe(all!['count_count'])
    const high = by(...dimensions.filter(dimension => dimension.high).map(({ name }) => name))
    const ordered = { config: { row_limit: 10 }, orderBy: [{ field: 'count_count', direction: 'desc' }] }
    expect(await run({ view, metrics: count, dimensions: high, ...ordered })).toHaveLength(Number(all!['count_count']))
    const isNull = dimensions
      .filter(({ elements }) => !elements)
      .map(({ name }) => ({ column: name, type: 'null', operator: 'is null', value: '' }))
    expect(await run({ view, metrics: count, filters: isNull })).toEqual([{ count_count: 0 }])
  }
})

test('explodes lists and maps: a row is counted once per element, and not at all without elements', async () => {
  const sorted = { orderBy: [{ field: 'count_count', direction: 'desc' }] }
  expect(await run({ metrics: count, dimensions: by('tags'), ...sorted })).toEqual([
    { tags: [], count_count: 2 },
    { tags: ['a', 'b'], count_count: 1 },
  ])
  expect(await run({ metrics: count, dimensions: by('calledToolNames') })).toEqual([{ calledToolNames: 'search', count_count: 2 }])
  const pairs = await run({ metrics: count, dimensions: by('calledToolNames', 'toolNames') })
  expect(pairs.map(row => `${row['calledToolNames']} ${row['toolNames']} ${row['count_count']}`).sort()).toEqual([
    'search mail 2',
    'search search 2',
  ])
  const costs = await run({ metrics: [metric('costByType', 'sum')] })
  expect(new Map(costs.map(row => [row['costType'], row['sum_costByType']]))).toEqual(
    new Map([
      ['input', 0.15],
      ['output', 0.2],
      ['total', 0.35],
    ]),
  )
  const usage = { metrics: [metric('usageByType', 'max'), ...count], dimensions: by('usageType') }
  const onlyOutput = [{ type: 'string', column: 'usageType', operator: '=', value: 'output' }]
  expect(await run({ ...usage, filters: onlyOutput })).toEqual([{ usageType: 'output', max_usageByType: 6, count_count: 1 }])
  expect(await run({ metrics: count, filters: onlyOutput })).toEqual([{ count_count: 1 }])
})

test('groups by time buckets, including buckets without rows', async () => {
  const hourly = { metrics: [...count, metric('latency', 'avg')], timeDimension: { granularity: 'hour' } }
  const nothing = { count_count: 0, avg_latency: null }
  const rows = [
    { time_dimension: '2026-02-01T10:00:00Z', count_count: 1, avg_latency: 4_000 },
    { time_dimension: '2026-02-01T11:00:00Z', count_count: 1, avg_latency: 1_000 },
    { time_dimension: '2026-02-01T12:00:00Z', ...nothing },
    { time_dimension: '2026-02-01T13:00:00Z', count_count: 1, avg_latency: 0 },
  ]
  expect(await run(hourly)).toEqual(rows)
  expect(await run({ ...hourly, config: { row_limit: 3 } })).toEqual(rows.slice(0, 3))
  expect(
    await run({ ...hourly, dimensions: by('tags', 'name'), fromTimestamp: '2026-02-01T12:00:00Z', toTimestamp: '2026-02-01T13:00:00Z' }),
  ).toEqual([{ tags: [], name: null, time_dimension: '2026-02-01T12:00:00Z', ...nothing }])
  expect(await run({ ...hourly, orderBy: [{ field: 'time_dimension', direction: 'desc' }] })).toEqual(
    rows.filter(row => row.count_count > 0).reverse(),
  )
  const daily = await run({
    metrics: count,
    timeDimension: { granularity: 'day' },
    fromTimestamp: '2026-01-31T12:00:00+02:00',
    toTimestamp: '2026-02-03T00:00:00Z',
  })
  expect(daily.map(row => [row['time_dimension'], row['count_count']])).toEqual([
    ['2026-01-31', 0],
    ['2026-02-01', 3],
    ['2026-02-02', 1],
  ])
  const weekly = await run({
    metrics: count,
    timeDimension: { granularity: 'week' },
    fromTimestamp: '2026-02-01T00:00:00Z',
    toTimestamp: '2026-02-10T00:00:00Z',
  })
  expect(weekly.map(row => [row['time_dimension'], row['count_count']])).toEqual([
    ['2026-01-26', 3],
    ['2026-02-02', 1],
  ])
  const monthly = await run({
    metrics: count,
    timeDimension: { granularity: 'month' },
    fromTimestamp: '2025-12-05T00:00:00Z',
    toTimestamp: '2026-03-01T00:00:00Z',
  })
  expect(monthly.map(row => [row['time_dimension'], row['count_count']])).toEqual([
    ['2025-12-01', 0],
    ['2026-01-01', 0],
    ['2026-02-01', 4],
  ])
})

test('chooses a granularity by the length of the range, and computes buckets at boundaries', () => {
  expect(
    [1, 119, 120, 71 * 60, 72 * 60, 59 * 1440, 60 * 1440, 364 * 1440, 365 * 1440].map(minutes =>
      granularityOf(BigInt(minutes) * 60_000_000n),
    ),
  ).toEqual(['minute', 'minute', 'hour', 'hour', 'day', 'day', 'week', 'week', 'month'])
  expect(bucketText('month', nextBucket('month', bucketOf('month', us('2025-12-31T23:59:59Z'))))).toBe('2026-01-01')
  expect(bucketText('week', bucketOf('week', us('1960-01-01T00:00:00Z')))).toBe('1959-12-28')
})

test('groups by days and hours of a time zone, including buckets without rows', async () => {
  const asked = {
    metrics: count,
    timeZone: 'America/New_York',
    timeDimension: { granularity: 'day' },
    fromTimestamp: '2026-01-31T05:00:00Z',
    toTimestamp: '2026-02-03T05:00:00Z',
  }
  const texts = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(row => `${row['time_dimension']} ${row['count_count']}`)
  expect(texts(await run(asked))).toEqual(['2026-01-31 0', '2026-02-01 3', '2026-02-02 1'])
  // 10:00 UTC is midnight in Honolulu. The hour before 10:00 UTC belongs to the previous day there.
  const honolulu = { ...asked, timeZone: 'Pacific/Honolulu', toTimestamp: '2026-02-03T10:00:00Z' }
  expect(texts(await run(honolulu))).toEqual(['2026-01-30 0', '2026-01-31 0', '2026-02-01 3', '2026-02-02 1'])
  expect(texts(await run({ ...honolulu, timeDimension: { granularity: 'month' } }))).toEqual(['2026-01-01 0', '2026-02-01 4'])
  const hourly = { metrics: count, timeDimension: { granularity: 'hour' } }
  expect(texts(await run({ ...hourly, timeZone: 'Asia/Kolkata' }))).toEqual([
    '2026-02-01T09:30:00Z 1',
    '2026-02-01T10:30:00Z 1',
    '2026-02-01T11:30:00Z 0',
    '2026-02-01T12:30:00Z 1',
  ])
  expect(await run({ ...hourly, timeZone: 'UTC' })).toEqual(await run(hourly))
})

test('a metadata key is a dimension with its whole text, and null for rows without the key', async () => {
  const long = 'm'.repeat(250)
  const asked = (view: string, more: object = {}) =>
    run({ view, metrics: count, dimensions: by('metadata.plan'), orderBy: [{ field: 'metadata.plan', direction: 'asc' }], ...more })
  expect(await asked('observations')).toEqual([
    { 'metadata.plan': 'pro', count_count: 1 },
    { 'metadata.plan': null, count_count: 2 },
  ])
  expect(await asked('scores-numeric')).toEqual([
    { 'metadata.plan': 'pro', count_count: 1 },
    { 'metadata.plan': null, count_count: 3 },
  ])
  await insertRows(columnStore, 'events_full', [
    {
      ...eventRows.at(-1),
      project_id: 'long',
      span_id: '1',
      is_deleted: 0,
      metadata_names: ['k', 'n'],
      metadata_values: [`${long}1`, '5'],
    },
    {
      ...eventRows.at(-1),
      project_id: 'long',
      span_id: '2',
      is_deleted: 0,
      metadata_names: ['k', 'n'],
      metadata_values: [`${long}2`, '5'],
    },
  ])
  const ofLong = async (query: object) =>
    (
      await queryMetrics(columnStore, {
        projectId: 'long',
        query: JSON.stringify({ view: 'observations', ...range, metrics: count, ...query }),
        signal: undefined,
      })
    ).data
  expect(await ofLong({ dimensions: by('metadata.k'), orderBy: [{ field: 'metadata.k', direction: 'asc' }] })).toEqual([
    { 'metadata.k': `${long}1`, count_count: 1 },
    { 'metadata.k': `${long}2`, count_count: 1 },
  ])
  expect(await ofLong({ dimensions: by('metadata.n') })).toEqual([{ 'metadata.n': '5', count_count: 2 }])
  const filters = [{ type: 'stringOptions', column: 'metadata.k', operator: 'any of', value: [`${long}2`] }]
  expect(await ofLong({ filters })).toEqual([{ count_count: 1 }])
})

test('counts each score once, with attributes of its trace and observation', async () => {
  const view = 'scores-numeric'
  const more = {
    config: { row_limit: 10 },
    orderBy: [
      { field: 'sum_value', direction: 'desc' },
      { field: 'id', direction: 'asc' },
    ],
  }
  const dimensions = by(
    'id',
    'traceName',
    'tags',
    'userId',
    'observationName',
    'observationModelName',
    'observationPromptVersion',
    'experimentName',
    'sessionId',
    'traceRelease',
  )
  const none = { observationName: null, observationModelName: null, observationPromptVersion: null, experimentName: null }
  const t1 = { traceName: 'chat', tags: ['a', 'b'], userId: 'u1', traceRelease: 'r1', sessionId: null }
  expect(await run({ view, dimensions, metrics: [metric('value', 'sum')], ...more })).toEqual([
    { id: 'number', ...t1, ...none, observationName: 'n', experimentName: 'first', sum_value: 4 },
    {
      id: 'moved',
      ...t1,
      ...none,
      observationName: 'call',
      observationModelName: 'gpt',
      observationPromptVersion: 3,
      sessionId: 's9',
      sum_value: 2,
    },
    { id: 'yes', ...t1, ...none, sum_value: 1 },
    { id: 'no', ...none, traceName: null, tags: [], userId: null, traceRelease: null, sessionId: null, sum_value: 0 },
  ])
  expect(await run({ view: 'scores-boolean', metrics: [metric('value', 'avg'), ...count], dimensions: by('booleanValue') })).toEqual([
    { booleanValue: true, avg_value: 1, count_count: 1 },
    { booleanValue: false, avg_value: 0, count_count: 1 },
  ])
  expect(await run({ view: 'scores-categorical', metrics: count, dimensions: by('stringValue', 'timestampDay') })).toEqual([
    { stringValue: 'good', timestampDay: '2026-02-01', count_count: 1 },
  ])
  const filters = [{ type: 'stringObject', column: 'metadata', key: 'plan', operator: '=', value: 'pro' }]
  expect([await run({ view, metrics: count, filters }), await run({ metrics: count, filters })]).toEqual([
    [{ count_count: 1 }],
    [{ count_count: 1 }],
  ])
  const hourly = await run({ view, metrics: count, timeDimension: { granularity: 'auto' } })
  expect(hourly.map(row => [row['time_dimension'], row['count_count']])).toEqual([
    ['2026-02-01T10:00:00Z', 3],
    ['2026-02-01T11:00:00Z', 1],
    ['2026-02-01T12:00:00Z', 0],
    ['2026-02-01T13:00:00Z', 0],
  ])
})

test('filters by the time column, and by names with their fallback', async () => {
  const filters = (column: string, more: object) => [{ column, ...more }]
  expect(
    await run({ metrics: count, filters: filters('start_time', { type: 'datetime', operator: '>', value: '2026-02-01T10:00:00Z' }) }),
  ).toEqual([{ count_count: 2 }])
  expect(await run({ metrics: count, filters: filters('observationName', { type: 'string', operator: '=', value: 'call' }) })).toEqual([
    { count_count: 1 },
  ])
})

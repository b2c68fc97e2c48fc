// Tests the legacy reads on a real engine. The reads return rows of the old tables in the wire format (contract §§20.2 to 20.7).
// `legacy-sessions.test.ts` tests the reads of sessions.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const at = (second: number) => `2026-11-01 00:00:${String(second).padStart(2, '0')}.000`
const project = { project_id: 'project-0', event_ts: at(59), environment: 'default' }
const trace = (id: string, second: number, more: object = {}) => ({ ...project, id, timestamp: at(second), name: `trace ${id}`, ...more })
const observation = (id: string, trace_id: string, more: object = {}) => ({
  ...{ ...project, id, trace_id, type: 'SPAN', level: 'DEFAULT', name: `observation ${id}`, start_time: at(1) },
  ...more,
})
const score = (id: string, more: object = {}) => ({
  ...{ ...project, id, timestamp: at(5), name: 'quality', source: 'API', data_type: 'NUMERIC', value: 0.5, trace_id: 'a' },
  ...more,
})
const a = { input: '{"question":["why",1]}', output: 'because', metadata: { plan: 'free', deep: '{"a":1}' } }
const traces = [
  trace('a', 1, { created_at: at(30), user_id: 'user-1', session_id: 'session', tags: ['x', 'y'], ...a }),
  trace('b', 2, { created_at: at(50), session_id: 'second', environment: 'prod', tags: ['x'], input: 'plain', release: 'r1' }),
  trace('c', 3, { created_at: at(40), environment: 'prod', session_id: 'session', metadata: { count: '3' } }),
  trace('deleted', 4),
  trace('deleted', 4, { is_deleted: 1, event_ts: '2026-11-01 00:01:00.000' }),
  // v3 moved this trace to another day and left the former row without a tombstone. A filter can match the former row, but no response
  // contains it.
  trace('c', 3, { timestamp: '2026-10-01 00:00:00.000', event_ts: at(1), name: 'trace z' }),
  trace('other', 5, { project_id: 'other' }),
]
const observations = [
  observation('o1', 'a', { end_time: at(4), completion_start_time: at(2), type: 'GENERATION', level: 'ERROR', provided_model_name: 'gpt' }),
  observation('o2', 'a', {
    ...{ parent_observation_id: 'o1', start_time: at(2), end_time: at(3), input: '{"a":1}', model_parameters: '{"temperature":1}' },
    ...{ usage_details: { input: 10, input_cached: 5, output: 7, total: 22 }, cost_details: { input: 0.1, output: 0.2, total: 0.3 } },
  }),
  observation('o3', 'b', { start_time: at(9), name: '' }),
  observation('o4', 'deleted', { is_deleted: 1 }),
]
const scores = [
  score('s1', { metadata: { why: '{"a":1}' } }),
  score('s2', { observation_id: 'o1', data_type: 'BOOLEAN', value: 1, string_value: 'True', name: 'passed', timestamp: at(6) }),
  score('s3', { data_type: 'CATEGORICAL', value: 0, string_value: 'good', trace_id: 'b', name: 'label', timestamp: at(7) }),
  score('s4', { trace_id: null, session_id: 'session', timestamp: at(8) }),
  score('s5', { data_type: 'CORRECTION', value: 0, long_string_value: 'better', name: 'output', timestamp: at(9) }),
  score('broken', { data_type: 'NOTHING', trace_id: 'c', timestamp: at(10) }),
  score('s1', { name: 'before', event_ts: at(1) }),
]

let opened: ApiOnEngine
beforeAll(async () => {
  const env = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
  opened = await startOnEngine(
    async columnStore => {
      for (const [table, rows] of Object.entries({ traces, observations, scores })) {
        await columnStore.command(`INSERT INTO ${table} FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`)
      }
    },
    { env },
  )
})
afterAll(() => opened.close())

const get = (path: string) => opened.api.send('GET', `/api/public/${path}`)
async function ids(path: string): Promise<readonly string[]> {
  const { status, json, text } = await get(path)
  expect([status, text]).toEqual([200, expect.any(String)])
  return (json.data as readonly { readonly id: string }[]).map(({ id }) => id)
}
const filter = (...conditions: readonly object[]) => `filter=${encodeURIComponent(JSON.stringify(conditions))}`

test('traces: each trace appears once, from its newest row, with the totals of its observations', async () => {
  const { json } = await get('traces')
  expect(json.meta).toEqual({ page: 1, limit: 50, totalItems: 3, totalPages: 1 })
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual(['c', 'b', 'a'])
  expect(json.data[2]).toMatchObject({
    ...{ id: 'a', externalId: null, timestamp: '2026-11-01T00:00:01.000Z', name: 'trace a', userId: 'user-1', release: null },
    ...{ projectId: 'project-0', htmlPath: '/project/project-0/traces/a', tags: ['x', 'y'], bookmarked: false },
    ...{ input: { question: ['why', 1] }, output: 'because', metadata: { plan: 'free', deep: { a: 1 } } },
    ...{ observations: ['o1', 'o2'], scores: ['s1', 's2', 's5'], totalCost: 0.3, latency: 3 },
  })
  expect(json.data[0]).toMatchObject({ name: 'trace c', observations: [], totalCost: 0, latency: 0, input: null })
})

test('traces: groups of fields, order and pages', async () => {
  const { json } = await get('traces?fields=core,nothing&orderBy=name.asc&limit=1&page=2')
  expect(json.meta).toEqual({ page: 2, limit: 1, totalItems: 3, totalPages: 3 })
  expect(json.data).toHaveLength(1)
  expect(json.data[0]).toMatchObject({ id: 'b', observations: [], scores: [], totalCost: -1, latency: -1 })
  expect(json.data[0]).not.toHaveProperty('input')
  expect(await ids('traces?page=9')).toEqual([])
  expect((await get('traces?orderBy=secret.asc')).status).toBe(400)
  expect((await get('traces?limit=101')).status).toBe(400)
})

test.each([
  ['userId=user-1', 'a'],
  ['sessionId=session', 'ca'],
  ['release=r1', 'b'],
  ['tags=x&tags=y', 'a'],
  ['environment=prod&environment=none', 'cb'],
  ['fromTimestamp=2026-11-01T00:00:02Z&toTimestamp=2026-11-01T00:00:03Z', 'b'],
  [filter({ type: 'string', column: 'name', operator: 'ends with', value: 'b' }), 'b'],
  [filter({ type: 'stringObject', column: 'metadata', key: 'plan', operator: '=', value: 'free' }), 'a'],
  [filter({ type: 'numberObject', column: 'metadata', key: 'count', operator: '>', value: 2 }), 'c'],
  [filter({ type: 'number', column: 'latency', operator: '>', value: 1 }), 'a'],
  [filter({ type: 'number', column: 'totalCost', operator: '=', value: 0.3 }), 'a'],
  [filter({ type: 'string', column: 'level', operator: '=', value: 'ERROR' }), 'a'],
  [filter({ type: 'numberObject', column: 'scores_avg', key: 'quality', operator: '>=', value: 0.5 }), 'a'],
  [filter({ type: 'categoryOptions', column: 'score_categories', key: 'label', operator: 'none of', value: ['good'] }), 'ca'],
  [filter({ type: 'datetime', column: 'timestamp', operator: '>=', value: '2026-11-01T00:00:03Z' }), 'c'],
  [`userId=user-1&${filter({ type: 'null', column: 'userId', operator: 'is null', value: '' })}`, 'cb'],
])('traces: %s', async (query, expected) => {
  expect((await ids(`traces?fields=core&${query}`)).join('')).toBe(expected)
})

test.each([
  [filter({ type: 'string', column: 'nothing', operator: '=', value: 'b' })],
  [filter({ type: 'stringObject', column: 'metadata', key: 'a', operator: 'is set', value: '' })],
  ['filter=%7B'],
])('traces: %s gets 400', async query => {
  expect((await get(`traces?${query}`)).status).toBe(400)
})

const formsOf = {
  text: (column: string) => [
    ...['=', 'contains', 'does not contain', 'starts with', 'ends with'].map(operator => ({
      type: 'string',
      column,
      operator,
      value: "x'%",
    })),
    ...['any of', 'none of'].map(operator => ({ type: 'stringOptions', column, operator, value: ['x'] })),
    { type: 'null', column, operator: 'is null', value: '' },
  ],
  number: (column: string) => [
    ...['=', '>', '<', '>=', '<='].map(operator => ({ type: 'number', column, operator, value: 1.5 })),
    { type: 'null', column, operator: 'is not null', value: '' },
  ],
  time: (column: string) => ['>', '<', '>=', '<='].map(operator => ({ type: 'datetime', column, operator, value: '2026-11-01T00:00:03Z' })),
  list: (column: string) => ['any of', 'none of', 'all of'].map(operator => ({ type: 'arrayOptions', column, operator, value: ['x'] })),
  boolean: (column: string) => ['=', '<>'].map(operator => ({ type: 'boolean', column, operator, value: true })),
  metadata: (column: string) => [
    ...['=', 'contains', 'does not contain', 'starts with', 'ends with'].map(operator => ({
      ...{ type: 'stringObject', column, key: 'a.b', operator, value: '' },
    })),
    { type: 'numberObject', column, key: '', operator: '<', value: 1 },
    { type: 'booleanObject', column, key: 'a', operator: '<>', value: true },
    ...['any of', 'none of'].map(operator => ({ type: 'categoryOptions', column, key: 'a', operator, value: ['b'] })),
  ],
  scores: () => [
    { type: 'numberObject', column: 'scores', key: 'a', operator: '<', value: 1 },
    ...['any of', 'none of'].map(operator => ({ type: 'categoryOptions', column: 'score_categories', key: 'a', operator, value: ['b'] })),
    ...['=', '<>'].map(operator => ({ type: 'booleanObject', column: 'score_booleans', key: 'a', operator, value: true })),
  ],
}
const tokens = 'inputTokens outputTokens totalTokens tokens inputCost outputCost totalCost latency'

test.each<[string, Readonly<Partial<Record<keyof typeof formsOf, string>>>]>([
  [
    'traces',
    {
      text: 'id name userId sessionId environment version release level',
      number: `${tokens} warningCount errorCount defaultCount debugCount`,
      ...{ time: 'timestamp', list: 'tags', boolean: 'bookmarked', metadata: 'metadata', scores: '' },
    },
  ],
  [
    'observations',
    {
      text: 'id type name traceId environment level statusMessage version model promptName userId traceName traceEnvironment',
      number: `${tokens} timeToFirstToken tokensPerSecond promptVersion`,
      ...{ time: 'startTime endTime', list: 'traceTags', metadata: 'metadata' },
    },
  ],
  [
    'v2/scores',
    { text: 'id name source dataType stringValue comment configId traceId', number: 'value', time: 'timestamp', metadata: 'metadata' },
  ],
])('%s: every column accepts the conditions of its kind', async (route, columns) => {
  for (const [kind, names] of Object.entries(columns)) {
    const conditions = names.split(' ').flatMap((name): readonly object[] => formsOf[kind as keyof typeof formsOf](name))
    const { status, text } = await get(`${route}?${filter(...conditions)}`)
    expect([route, kind, status, text]).toEqual([route, kind, 200, expect.any(String)])
  }
})

test('traces: every column can order the list', async () => {
  for (const name of ['id', 'timestamp', 'name', 'userId', 'release', 'version', 'public', 'bookmarked', 'sessionId'])
    expect(await ids(`traces?fields=core&orderBy=${name}.desc`)).toHaveLength(3)
})

test('a trace with its observations and scores', async () => {
  const { status, json } = await get('traces/a')
  expect(status).toBe(200)
  expect(json).toMatchObject({ id: 'a', totalCost: 0.3, latency: 3, input: { question: ['why', 1] } })
  expect(json.observations).toMatchObject([
    { id: 'o1', traceId: 'a', level: 'ERROR', model: 'gpt', latency: 3, timeToFirstToken: 1, usage: { input: 0 }, modelParameters: {} },
    { id: 'o2', parentObservationId: 'o1', input: { a: 1 }, modelParameters: { temperature: 1 } },
  ])
  expect(json.scores.map(({ id }: { id: string }) => id)).toEqual(['s2', 's1'])
  expect((await get('traces/a?fields=core')).json).toMatchObject({ observations: [], scores: [], totalCost: -1 })
})

test.each(['deleted', 'other', 'unknown'])('the trace %s gets 404', async id => {
  const { status, json } = await get(`traces/${id}`)
  expect([status, json.message]).toEqual([404, `Trace ${id} not found within authorized project`])
})

test('observations: list, filters and a single observation', async () => {
  expect(await ids('observations')).toEqual(['o3', 'o2', 'o1'])
  expect(await ids('observations?type=GENERATION&level=ERROR')).toEqual(['o1'])
  expect(await ids('observations?userId=user-1&limit=1')).toEqual(['o2'])
  expect(await ids('observations?parentObservationId=o1')).toEqual(['o2'])
  expect(await ids(`observations?${filter({ type: 'arrayOptions', column: 'traceTags', operator: 'any of', value: ['y'] })}`)).toHaveLength(
    2,
  )
  expect(await ids(`observations?${filter({ type: 'number', column: 'tokens', operator: '=', value: 22 })}`)).toEqual(['o2'])
  expect(await ids(`observations?${filter({ type: 'number', column: 'latency', operator: '=', value: 3 })}`)).toEqual(['o1'])
  expect((await get('observations/o2')).json).toMatchObject({
    ...{
      id: 'o2',
      usageDetails: { input: 10, input_cached: 5, output: 7, total: 22 },
      costDetails: { input: 0.1, output: 0.2, total: 0.3 },
    },
    ...{ usage: { unit: 'TOKENS', input: 15, output: 7, total: 22 }, promptTokens: 15, completionTokens: 7, totalTokens: 22 },
    ...{ calculatedInputCost: 0.1, calculatedOutputCost: 0.2, calculatedTotalCost: 0.3, modelId: null, inputPrice: null },
  })
  expect((await get('observations/o3')).json).toMatchObject({ name: null, endTime: null, latency: null, input: null, metadata: {} })
  expect((await get('observations/o4')).json.message).toBe('Observation not found within authorized project')
})

test('scores: v1 returns scores of traces and observations, v2 returns all scores', async () => {
  expect(await ids('scores')).toEqual(['s3', 's2', 's1'])
  expect(await ids('v2/scores')).toEqual(['s5', 's4', 's3', 's2', 's1'])
  const [, second, first] = (await get('scores')).json.data
  expect(first).toMatchObject({
    ...{ id: 's1', name: 'quality', value: 0.5, dataType: 'NUMERIC', traceId: 'a', observationId: null, metadata: { why: { a: 1 } } },
    trace: { userId: 'user-1', tags: ['x', 'y'], environment: 'default' },
  })
  expect(second).toMatchObject({ value: 1, stringValue: 'True', observationId: 'o1' })
  const [correction, ofSession] = (await get('v2/scores')).json.data
  expect(correction).toMatchObject({ value: 0, stringValue: 'better', trace: { sessionId: 'session' } })
  expect(ofSession).toMatchObject({ traceId: null, sessionId: 'session', trace: null })
})

test.each([
  ['scores?userId=user-1', 's2s1'],
  ['scores?traceTags=x&traceTags=y', 's2s1'],
  ['scores?operator=>=&value=1', 's2'],
  ['scores?scoreIds=s1,s3', 's3s1'],
  ['scores?name=before', ''],
  ['scores?dataType=CATEGORICAL', 's3'],
  ['scores?fields=score&limit=1&page=2', 's2'],
  ['scores?toTimestamp=2026-11-01T00:00:06Z', 's1'],
  ['v2/scores?sessionId=session', 's4'],
  ['v2/scores?traceId=a&observationId=o1,o2', 's2'],
  [`v2/scores?${filter({ type: 'stringOptions', column: 'dataType', operator: 'any of', value: ['CORRECTION'] })}`, 's5'],
])('%s', async (path, expected) => {
  expect((await ids(path)).join('')).toBe(expected)
})

test('scores: a single score by its id, and refused requests', async () => {
  expect((await get('scores/s1')).json).toMatchObject({ id: 's1', name: 'quality' })
  expect((await get('scores/s5')).status).toBe(404)
  expect((await get('v2/scores/s5')).json).toMatchObject({ sessionId: null, datasetRunId: null })
  const broken = await get('v2/scores/broken')
  expect([broken.status, broken.json.message]).toEqual([500, 'Requested score is corrupted'])
  expect((await get('scores?fields=trace')).status).toBe(400)
  expect((await get('scores?fields=score&userId=u')).status).toBe(400)
})

const range = { fromTimestamp: '2026-11-01T00:00:00Z', toTimestamp: '2026-11-02T00:00:00Z' }
const metrics = (query: object) => get(`metrics?query=${encodeURIComponent(JSON.stringify({ ...range, ...query }))}`)
const measured = (...names: readonly string[]) =>
  names.map(name => {
    const [aggregation, measure] = name.split('_')
    return { aggregation, measure }
  })

test.each<[string, object, readonly object[]]>([
  [
    'traces',
    {
      dimensions: [{ field: 'environment' }],
      metrics: measured('count_count', 'sum_totalCost', 'sum_observationsCount', 'sum_scoresCount', 'max_latency', 'uniq_uniqueUserIds'),
    },
    [
      { environment: 'prod', count_count: 2, sum_observationsCount: 1, sum_scoresCount: 2, max_latency: 0, uniq_uniqueUserIds: 0 },
      { environment: 'default', count_count: 1, sum_totalCost: 0.3, sum_observationsCount: 2, sum_scoresCount: 3, max_latency: 3000 },
    ],
  ],
  [
    'traces',
    {
      metrics: measured('count_count'),
      filters: [{ type: 'stringObject', column: 'metadata', key: 'plan', operator: 'is set', value: '' }],
    },
    [{ count_count: 1 }],
  ],
  [
    'observations',
    {
      dimensions: [{ field: 'id' }, { field: 'traceName' }],
      metrics: measured('sum_totalTokens', 'sum_countScores', 'avg_latency'),
      filters: [{ type: 'string', column: 'userId', operator: '=', value: 'user-1' }],
    },
    [
      { id: 'o2', traceName: 'trace a', sum_totalTokens: 22, sum_countScores: 0, avg_latency: 1000 },
      { id: 'o1', traceName: 'trace a', sum_totalTokens: 0, sum_countScores: 1, avg_latency: 3000 },
    ],
  ],
  [
    'scores-numeric',
    { dimensions: [{ field: 'name' }, { field: 'traceName' }, { field: 'observationName' }], metrics: measured('sum_value') },
    expect.arrayContaining([
      { name: 'quality', traceName: 'trace a', observationName: null, sum_value: 0.5 },
      { name: 'quality', traceName: null, observationName: null, sum_value: 0.5 },
      { name: 'passed', traceName: 'trace a', observationName: 'observation o1', sum_value: 1 },
    ]),
  ],
])('metrics of %s', async (view, query, expected) => {
  const { status, json, text } = await metrics({ view, ...query })
  expect([status, text]).toEqual([200, expect.any(String)])
  expect(json.data).toMatchObject(expected)
})

const scoreDimensions =
  'id environment name source traceId observationId timestampMonth timestampDay userId sessionId datasetRunId observationName dataType configId ' +
  'traceName tags traceRelease traceVersion observationModelName observationPromptName observationPromptVersion evaluatorId'

test.each([
  [
    'traces',
    'id name tags userId sessionId release version environment timestampMonth',
    'count observationsCount scoresCount uniqueUserIds uniqueSessionIds latency totalTokens totalCost',
  ],
  [
    'observations',
    'id traceId traceName environment parentObservationId type name level version tags providedModelName promptName promptVersion userId sessionId ' +
      'traceRelease traceVersion startTimeMonth toolNames calledToolNames',
    'count latency streamingLatency timeToFirstToken inputTokens outputTokens totalTokens outputTokensPerSecond tokensPerSecond inputCost outputCost ' +
      'totalCost countScores toolDefinitions toolCalls',
  ],
  ['scores-numeric', `${scoreDimensions} value`, 'count value'],
  ['scores-boolean', `${scoreDimensions} booleanValue`, 'count value'],
  ['scores-categorical', `${scoreDimensions} stringValue`, 'count'],
])('metrics of %s: every dimension and measure', async (view, dimensions, measures) => {
  const names = measures.split(' ')
  const fields = dimensions.split(' ').map(field => ({ field }))
  const all = names.flatMap(name =>
    measured(`uniq_${name}`, ...(name.startsWith('unique') ? [] : [`sum_${name}`, `p95_${name}`, `histogram_${name}`])),
  )
  const { status, text } = await metrics({ view, dimensions: fields, metrics: all, timeDimension: { granularity: 'auto' } })
  expect([status, text]).toEqual([200, expect.any(String)])
})

test('metrics: invalid queries are refused', async () => {
  expect((await metrics({ view: 'nothing', metrics: measured('count_count') })).status).toBe(400)
  expect(
    (await metrics({ view: 'scores-numeric', dimensions: [{ field: 'experimentId' }], metrics: measured('count_count') })).status,
  ).toBe(400)
})

test('daily metrics: an observation is counted on the day of its trace', async () => {
  const { status, json } = await get('metrics/daily?fromTimestamp=2026-11-01T00:00:00Z')
  expect([status, json.meta]).toEqual([200, { page: 1, limit: 50, totalItems: 1, totalPages: 1 }])
  expect(json.data).toMatchObject([{ date: '2026-11-01', countTraces: 3, countObservations: 3, totalCost: 0.3 }])
  expect(json.data[0].usage).toEqual([
    { model: null, inputUsage: 15, outputUsage: 7, totalUsage: 22, countTraces: 2, countObservations: 2, totalCost: 0.3 },
    { model: 'gpt', inputUsage: 0, outputUsage: 0, totalUsage: 0, countTraces: 1, countObservations: 1, totalCost: 0 },
  ])
  expect((await get('metrics/daily?userId=user-1&tags=x')).json.data).toMatchObject([{ countTraces: 1, countObservations: 2 }])
})

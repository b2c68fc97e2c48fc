// The test rows for the requests of contract §§17.1 to 17.7.
import { expect } from 'vitest'
import { good, type Row, refused, refusedAt } from './rows.ts'

const score = { name: 'quality', value: 1, traceId: 't' }
const since = 'fromStartTime=2026-01-01T00:00:00Z'
const filter = (...conditions: readonly unknown[]) => `filter=${encodeURIComponent(JSON.stringify(conditions))}`
const query = {
  view: 'observations',
  metrics: [{ measure: 'count', aggregation: 'count' }],
  fromTimestamp: '2026-01-01T00:00:00Z',
  toTimestamp: '2026-01-02T00:00:00Z',
}
const metrics = (change: object) => `?query=${encodeURIComponent(JSON.stringify({ ...query, ...change }))}`

export const dataRows: readonly Row[] = [
  good('POST /scores', { ...score, id: 'given' }, { id: 'given' }),
  good(
    'POST /scores',
    { ...score, id: '', comment: null, metadata: null, environment: null, configId: null },
    { id: expect.stringMatching(/./) },
  ),
  good('POST /scores', { name: 'a', value: 'text', sessionId: 's', dataType: 'TEXT' }, { id: expect.any(String) }),
  good('POST /scores', { name: 'a', value: 'new', traceId: 't', dataType: 'CORRECTION' }, { id: expect.any(String) }),
  good('POST /scores', [score, { ...score, datasetRunId: 'r', traceId: undefined }], { message: 'Accepted' }, { status: 202 }),
  good('POST /scores', Array(100).fill(score), {}, { status: 202 }),
  good(
    'POST /scores',
    [score, { ...score, value: 'a', dataType: 'NUMERIC' }],
    { accepted: 1, rejected: 1, errors: [{ message: expect.stringContaining('quality') }] },
    { status: 207 },
  ),
  good('POST /scores', [{ value: 1 }], { accepted: 0, rejected: 1 }, { status: 207 }),
  ...refused('POST /scores', 400, score, [
    { name: undefined },
    { name: '' },
    { value: undefined },
    { value: true },
    { traceId: undefined },
    { sessionId: 's' },
    { datasetRunId: 'r' },
    { traceId: undefined, observationId: 'o' },
    { traceId: undefined, sessionId: 's', observationId: 'o' },
    { dataType: 'OTHER' },
    { dataType: 'CATEGORICAL' },
    { dataType: 'BOOLEAN', value: 2 },
    { dataType: 'TEXT', value: '' },
    { dataType: 'TEXT', value: 'x'.repeat(501) },
    { dataType: 'CORRECTION', value: 'a', traceId: undefined, sessionId: 's' },
    { dataType: 'CORRECTION', value: 'a', configId: 'c' },
    { source: 'EVAL' },
    { source: 'ANNOTATION' },
    { timestamp: 'yesterday' },
  ]),
  good('DELETE /scores/none', undefined, { message: 'Score deletion queued successfully' }, { status: 202 }),
  good('GET /v3/scores', undefined, { data: [], meta: { limit: 50 } }),
  good('GET /v3/scores?source=api,Eval&dataType=numeric&valueMin=0&valueMax=1&userId=', undefined, { data: [] }),
  ...refusedAt('GET /v3/scores', 400, [
    ...['?limit=0', '?limit=101', '?limit=a', '?unknown=1', '?fields=nothing', '?source=OTHER', '?dataType=OTHER'],
    ...[
      '?value=1',
      '?value=a&dataType=NUMERIC',
      '?value=1&dataType=NUMERIC,BOOLEAN',
      '?value=yes&dataType=BOOLEAN',
      '?valueMin=1',
      '?valueMin=a&dataType=NUMERIC',
    ],
    ...['?traceId=a&sessionId=b', '?traceId=a&experimentId=b', '?observationId=a', '?fromTimestamp=a', '?userId=u', '?traceTags=t'],
  ]),

  good('GET /v2/observations', undefined, { data: [], meta: {} }),
  good('GET /v2/observations?limit=0&fields=nothing&filter=&unknown=1', undefined, { data: [] }),
  ...refusedAt('GET /v2/observations', 400, [
    ...['?limit=1001', '?limit=-1', '?limit=a', '?parseIoAsJson=true', '?type=OTHER', '?level=LOUD', '?isRootObservation=yes'],
    ...['?fromStartTime=yesterday', '?filter=a', '?filter={}'],
    ...[
      { type: 'string', column: 'nothing', operator: '=', value: 'a' },
      { type: 'other', column: 'name', operator: '=', value: 'a' },
      { type: 'string', column: 'name', operator: '>', value: 'a' },
      { type: 'string', column: 'name', operator: '=', value: 1 },
      { type: 'number', column: 'name', operator: '=', value: 1 },
      { type: 'stringOptions', column: 'name', operator: 'any of', value: [] },
      { type: 'arrayOptions', column: 'tags', operator: 'any of', value: [] },
      { type: 'stringObject', column: 'metadata', operator: '=', value: 'a' },
      { type: 'datetime', column: 'startTime', operator: '>', value: 'a' },
      { type: 'null', column: 'name', operator: 'is', value: '' },
      { type: 'string', column: 'name', operator: 'matches', value: 'a' },
      { type: 'string', column: 'input', operator: 'contains', value: 'a' },
      { type: 'string', column: 'input', operator: 'matches', value: '?' },
      { type: 'stringOptions', column: 'input', operator: 'any of', value: ['a'] },
    ].map(condition => `?${filter(condition)}`),
  ]),

  good(`GET /v2/metrics${metrics({})}`, undefined, { data: expect.any(Array) }),
  ...refusedAt('GET /v2/metrics', 400, [
    '',
    '?query=a',
    ...[
      { view: 'traces' },
      { view: undefined },
      { metrics: [] },
      { metrics: undefined },
      { metrics: [{ measure: 'nothing', aggregation: 'sum' }] },
      { metrics: [{ measure: 'latency', aggregation: 'nothing' }] },
      { dimensions: [{ field: 'nothing' }] },
      { dimensions: [{ field: 'costType' }, { field: 'usageType' }] },
      { dimensions: [{ field: 'userId' }] },
      { dimensions: [{ field: 'userId' }], timeDimension: { granularity: 'day' } },
      { timeDimension: { granularity: 'second' } },
      { fromTimestamp: undefined },
      { toTimestamp: 'a' },
      { orderBy: [{ field: 'nothing', direction: 'desc' }] },
      { filters: [{ column: 'nothing', type: 'string', operator: '=', value: 'a' }] },
      { config: { row_limit: 1001 } },
      { config: { row_limit: 0 } },
    ].map(metrics),
  ]),

  good(`GET /experiments?${since}`, undefined, { data: [], meta: {} }),
  good(`GET /experiment-items?${since}`, undefined, { data: [], meta: {} }),
  ...['experiments', 'experiment-items'].flatMap(path =>
    refusedAt(`GET /${path}`, 400, [
      '',
      '?fromStartTime=a',
      ...['fields=nothing', 'limit=0', 'limit=101', 'scoreLimit=0', 'scoreLimit=51', 'filter=a'].map(end => `?${since}&${end}`),
      `?${since}&${filter({ type: 'string', column: 'nothing', operator: '=', value: 'a' })}`,
    ]),
  ),

  ...refusedAt(
    'GET ',
    400,
    ['/v3/scores?', '/v2/observations?', `/experiments?${since}&`, `/experiment-items?${since}&`].map(path => `${path}cursor=a`),
    { says: { message: 'Invalid cursor format' } },
  ),

  good('DELETE /traces/none', undefined, { message: 'Trace deleted successfully' }),
  good('DELETE /traces', { traceIds: ['none'] }, { message: 'Traces deleted successfully' }),
  ...refused('DELETE /traces', 400, {}, [
    {},
    { traceIds: [] },
    { traceIds: Array(1001).fill('a') },
    { traceIds: 'a' },
    { traceIds: ['a'], unknown: 1 },
  ]),
  good('POST /ingestion', { batch: [] }, { successes: [], errors: [] }, { status: 207 }),
  good(
    'POST /ingestion',
    { batch: [{ id: 'e' }], metadata: null },
    { successes: [], errors: [{ id: 'e', status: 400, message: 'Invalid request data' }] },
    { status: 207 },
  ),
  ...refused('POST /ingestion', 400, {}, [{}, { batch: {} }]),
]

import { AppError } from '@svc-server/errors'
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicKeyAlone, startApi, type TestApi } from './api.ts'

const path = '/api/public/scores'
const categories = JSON.stringify([
  { label: 'good', value: 1 },
  { label: 'bad', value: -1 },
])

let store: RelationalStore
let close: () => Promise<void>
let api: TestApi
const asked: string[] = []

beforeAll(async () => {
  store = await openTestStore()
  const { db } = store
  await db.insertInto('organizations').values({ id: 'org', name: 'org' }).execute()
  await db
    .insertInto('projects')
    .values(['project-0', 'project-1'].map(id => ({ id, org_id: 'org', name: id })))
    .execute()
  const config = { project_id: 'project-0', min_value: null, max_value: null, categories: null, description: null }
  await db
    .insertInto('score_configs')
    .values([
      { ...config, id: 'number', name: 'n', data_type: 'NUMERIC', min_value: 0, max_value: 10 },
      { ...config, id: 'category', name: 'c', data_type: 'CATEGORICAL', categories },
      { ...config, id: 'boolean', name: 'b', data_type: 'BOOLEAN' },
      { ...config, id: 'text', name: 't', data_type: 'TEXT' },
      { ...config, id: 'archived', name: 'n', data_type: 'NUMERIC', is_archived: true },
      { ...config, id: 'foreign', name: 'n', data_type: 'NUMERIC', project_id: 'project-1' },
    ])
    .execute()
  const columnStore = {
    query: async (sql: string) => {
      asked.push(sql)
      return [{ name: 'n', timestamp_ms: '1790000000000', at: '1790000000000000' }]
    },
  }
  api = await startApi({ relational: store, columnStore: columnStore as never })
  close = async () => {
    await api[Symbol.asyncDispose]()
    await store.close()
  }
})
afterAll(() => close())

const subject = { traceId: 'trace' }
const only = async (id: string) => (await api.scores()).filter(score => score.id === id)

async function stored(score: object) {
  const answer = await api.send('POST', path, { body: { ...subject, ...score } })
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"id"')])
  return (await only(answer.json.id))[0]!
}

test.each([
  [
    { name: 'n', value: 0.25 },
    { dataType: 'NUMERIC', value: 0.25, stringValue: null, longStringValue: '' },
  ],
  [
    { name: 'n', value: 'good' },
    { dataType: 'CATEGORICAL', value: 0, stringValue: 'good' },
  ],
  [
    { name: 'n', value: 1, dataType: 'BOOLEAN' },
    { dataType: 'BOOLEAN', value: 1, stringValue: 'True' },
  ],
  [
    { name: 'n', value: 0, dataType: 'BOOLEAN' },
    { dataType: 'BOOLEAN', value: 0, stringValue: 'False' },
  ],
  [
    { name: 'n', value: 'why', dataType: 'TEXT' },
    { dataType: 'TEXT', value: 0, stringValue: 'why' },
  ],
  [
    { name: 'n', value: 'right', dataType: 'CORRECTION' },
    { name: 'output', value: 0, stringValue: null, longStringValue: 'right' },
  ],
  [
    { name: 'n', value: 10, configId: 'number' },
    { dataType: 'NUMERIC', value: 10, configId: 'number' },
  ],
  [
    { name: 'c', value: 'bad', configId: 'category' },
    { dataType: 'CATEGORICAL', value: -1, stringValue: 'bad' },
  ],
  [
    { name: 'b', value: 1, configId: 'boolean' },
    { dataType: 'BOOLEAN', value: 1, stringValue: 'True' },
  ],
  [
    { name: 't', value: 'x', configId: 'text', source: 'ANNOTATION' },
    { dataType: 'TEXT', stringValue: 'x', source: 'ANNOTATION' },
  ],
  [
    { name: 'n', value: 1, metadata: { a: [1] }, environment: 'svc-X', comment: 'c', queueId: 'q' },
    { metadata: '{"a":[1]}', environment: 'x', comment: 'c', queueId: 'q' },
  ],
  [
    { name: 'n', value: 1, id: '', traceId: null, datasetRunId: 'run', sessionId: '' },
    { datasetRunId: 'run', traceId: null, sessionId: null },
  ],
])('%j is stored', async (score, row) => {
  expect(await stored(score)).toMatchObject({ deleted: false, projectId: 'project-0', ...row })
})

test('a score has its own time to the microsecond, or else the time of the request', async () => {
  const now = Date.now() - 1000
  const timestamp = `${new Date(now).toISOString().slice(0, -1)}456+00:00`
  expect((await stored({ name: 'n', value: 1, timestamp })).timestampUs).toBe(now * 1000 + 456)
  expect(Math.abs((await stored({ name: 'n', value: 1 })).timestampUs / 1000 - Date.now())).toBeLessThan(60_000)
})

test.each<[string, object, string[]]>([
  ['no subject', { name: 'n', value: 1, traceId: null }, ['traceId', 'observationId', 'sessionId', 'datasetRunId']],
  ['two subjects', { name: 'n', value: 1, sessionId: 's' }, ['traceId', 'observationId', 'sessionId', 'datasetRunId']],
  [
    'an observation alone',
    { name: 'n', value: 1, traceId: '', observationId: 'o' },
    ['traceId', 'observationId', 'sessionId', 'datasetRunId'],
  ],
  ['no name', { name: '', value: 1 }, ['name']],
  ['no value', { name: 'n' }, ['value']],
  ['a source that is ours', { name: 'n', value: 1, source: 'EVAL' }, ['source']],
  ['an annotation without a configuration', { name: 'n', value: 1, source: 'ANNOTATION' }, ['configId']],
  ['a number as category', { name: 'n', value: 1, dataType: 'CATEGORICAL' }, ['value']],
  ['two as boolean', { name: 'n', value: 2, dataType: 'BOOLEAN' }, ['value']],
  ['a long text', { name: 'n', value: 'x'.repeat(501), dataType: 'TEXT' }, ['value']],
  ['a correction of a session', { name: 'n', value: 'x', dataType: 'CORRECTION', traceId: null, sessionId: 's' }, ['sessionId']],
  ['a correction with a configuration', { name: 'n', value: 'x', dataType: 'CORRECTION', configId: 'text' }, ['configId']],
  ['a time of long ago', { name: 'n', value: 1, timestamp: '1990-01-01T00:00:00Z' }, ['timestamp']],
  ['above the greatest value', { name: 'n', value: 10.1, configId: 'number' }, ['value']],
  ['below the least', { name: 'n', value: -0.1, configId: 'number' }, ['value']],
  ['another name', { name: 'm', value: 1, configId: 'number' }, ['name']],
  ['another type', { name: 'n', value: 1, dataType: 'BOOLEAN', configId: 'number' }, ['dataType']],
  ['a text for a number', { name: 'n', value: '1', configId: 'number' }, ['value']],
  ['no category', { name: 'c', value: 'so so', configId: 'category' }, ['value']],
  ['an archived configuration', { name: 'n', value: 1, configId: 'archived' }, ['configId']],
])('%s is refused with the path of its field', async (_, score, field) => {
  const before = (await api.scores()).length
  const answer = await api.send('POST', path, { body: { ...subject, ...score } })
  expect([answer.status, answer.json.message]).toEqual([400, 'Invalid request data'])
  expect(answer.json.error[0]).toMatchObject({ code: expect.any(String), message: expect.any(String), path: field })
  expect(await api.scores()).toHaveLength(before)
})

test.each(['unknown', 'foreign', 'nul\0'])('a configuration that the project does not have gets 404: %j', async configId => {
  const answer = await api.send('POST', path, { body: { ...subject, name: 'n', value: 1, configId } })
  expect([answer.status, answer.json.error]).toEqual([404, 'SvcNotFoundError'])
})

describe('arrays', () => {
  const scores = (...values: object[]) => values.map(value => ({ name: 'n', value: 1, ...subject, ...value }))

  test('an array of valid scores gets 202 without ids', async () => {
    const answer = await api.send('POST', path, { body: scores({ id: 'a1' }, { id: 'a2' }), authorization: publicKeyAlone })
    expect([answer.status, answer.json]).toEqual([202, { message: 'Accepted' }])
    expect([await only('a1'), await only('a2')].map(found => found.length)).toEqual([1, 1])
  })

  test('an array with invalid scores gets 207 with their positions, and the others are stored', async () => {
    const body = [...scores({ id: 'b1' }, { id: 'b2', value: true }, { value: 11, configId: 'number' }, { configId: 'unknown' }), 7]
    const answer = await api.send('POST', path, { body })
    expect([answer.status, answer.json.accepted, answer.json.rejected]).toEqual([207, 1, 4])
    expect(answer.json.errors).toEqual([
      {
        index: 1,
        id: 'b2',
        message: expect.stringMatching(/^n: value: Expected a number or a text\. The value of a BOOLEAN score must be 0 or 1/),
      },
      { index: 2, message: expect.stringMatching(/^n: value: The value is above/) },
      { index: 3, message: expect.stringMatching(/^n: configId: There is no score configuration unknown/) },
      { index: 4, message: expect.stringMatching(/^Score 4: /) },
    ])
    expect([(await only('b1')).length, (await only('b2')).length]).toEqual([1, 0])
  })

  test('of several scores with one id, the last accepted score is stored, and each score gets a result', async () => {
    const now = new Date().toISOString()
    const earlier = new Date(Date.now() - 86_400_000).toISOString()
    const said = [
      { name: 'z', value: 1, timestamp: now },
      { name: 'a', value: 2, timestamp: earlier },
      { name: '', value: 3 },
    ]
    const answer = await api.send('POST', path, { body: scores(...said.map(each => ({ id: 'said often', ...each })), { id: 'said once' }) })
    expect([answer.status, answer.json.accepted, answer.json.rejected]).toEqual([207, 3, 1])
    expect((await only('said often')).map(({ name, value }) => [name, value])).toEqual([['a', 2]])
    expect(await only('said once')).toHaveLength(1)
  })

  test('1,000 scores are accepted, and one more is refused with the limit', async () => {
    const thousand = Array.from({ length: 1000 }, (_, at) => scores({ id: `k-${at}` })[0])
    expect((await api.send('POST', path, { body: thousand })).status).toBe(202)
    const answer = await api.send('POST', path, { body: [...thousand, thousand[0]] })
    expect([answer.status, answer.json.error[0].message]).toEqual([400, 'Send 1 to 1,000 scores.'])
    expect((await api.send('POST', path, { body: [] })).status).toBe(400)
  })
})

test('50 scores with one configuration are accepted in one request', async () => {
  const body = Array.from({ length: 50 }, () => ({ name: 'n', value: 1, configId: 'number', ...subject }))
  expect((await api.send('POST', path, { body })).status).toBe(202)
})

test('while the relational store does not respond, the whole request must be retried', async () => {
  const down = new Proxy(store.db, {
    get: () => () => {
      throw new AppError('relational_unavailable', 'The relational store did not respond.')
    },
  })
  await using other = await startApi({ relational: { db: down, ping: async () => {} } })
  const body = [
    { name: 'n', value: 1, ...subject },
    { name: 'n', value: 1, configId: 'number', ...subject },
  ]
  const answer = await other.send('POST', path, { body })
  expect([answer.status, answer.json.error, typeof answer.headers['retry-after']]).toEqual([503, 'ServiceUnavailableError', 'string'])
  expect(await other.scores()).toEqual([])
})

test('a deletion writes a tombstone for every key in the table, and one for records that are still on the log', async () => {
  const answer = await api.send('DELETE', `${path}/gone%2Fone`)
  expect([answer.status, answer.json]).toEqual([202, { message: 'Score deletion queued successfully' }])
  const found = await only('gone/one')
  expect(found.map(({ deleted, name }) => [deleted, name])).toEqual([
    [true, 'n'],
    [true, ''],
  ])
  expect(found[0]!.timestampUs).toBe(1_790_000_000_000_000)
  expect(asked.at(-1)).toContain('FROM scores FINAL')
})

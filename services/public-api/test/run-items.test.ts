import { AppError } from '@svc-server/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { organizationKey, publicKeyAlone, startApi, type TestApi } from './api.ts'
import { changedAt, datasetId, itemSince, type OpenedDatasets, openDatasets } from './datasets.ts'

const path = '/api/public/dataset-run-items'
const dual = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

let datasets: OpenedDatasets
beforeAll(async () => {
  datasets = await openDatasets()
})
afterAll(() => datasets[Symbol.asyncDispose]())

const start = (env: Readonly<Record<string, string>> = dual, columnStore?: { query<Row>(sql: string, params?: object): Promise<Row[]> }) =>
  startApi({ env, relational: datasets.store, ...(columnStore && { columnStore }) })

test('the first item creates the run, later items belong to the run, and the record contains the whole row', async () => {
  await using api = await start()
  const headers = { 'x-svc-sdk-name': 'javascript', 'x-svc-sdk-version': '5.11.1' }
  // The JS SDK 5 sends this body.
  const body = {
    runName: 'run a',
    runDescription: 'first',
    metadata: { model: 'm', n: [1] },
    datasetItemId: 'item-1',
    traceId: 't',
    observationId: 'o',
  }
  const first = await api.send('POST', path, { headers, body })
  expect(first.status).toBe(200)
  expect(first.json).toEqual({
    id: expect.stringMatching(uuid),
    datasetRunId: expect.stringMatching(/^[0-9a-f]{16}$/),
    datasetRunName: 'run a',
    datasetItemId: 'item-1',
    traceId: 't',
    observationId: 'o',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: first.json.createdAt,
  })
  const second = await api.send('POST', path, { body: { ...body, runDescription: 'second', observationId: null, traceId: 't2' } })
  expect(second.json).toMatchObject({ datasetRunId: first.json.datasetRunId, observationId: null })
  const other = await api.send('POST', path, { body: { ...body, runName: 'run b' } })
  expect(other.json.datasetRunId).not.toBe(first.json.datasetRunId)
  expect(new Set([first, second, other].map(({ json }) => json.id)).size).toBe(3)

  const runs = (await datasets.runs()).filter(({ name }) => name.startsWith('run '))
  expect(runs.map(({ name, description, metadata }) => [name, description, metadata])).toEqual([
    ['run a', 'first', { model: 'm', n: [1] }],
    ['run b', 'first', { model: 'm', n: [1] }],
  ])
  const [item] = (await api.runItems()).filter(({ id }) => id === first.json.id)
  expect(item).toEqual({
    projectId: 'project-0',
    apiKey: 'pk-test',
    sdkName: 'javascript',
    sdkVersion: '5.11.1',
    writeMode: 'dual',
    receivedAtMs: expect.any(Number),
    ingestId: expect.any(String),
    deleted: false,
    id: first.json.id,
    datasetId,
    datasetRunId: runs[0]!.id,
    datasetRunName: 'run a',
    datasetRunDescription: 'first',
    datasetRunMetadata: '{"n": [1], "model": "m"}',
    datasetRunCreatedAtMs: expect.any(Number),
    datasetItemId: 'item-1',
    datasetItemVersionMs: itemSince.getTime(),
    datasetItemInput: '{"question": ["why", 12345678901234567890]}',
    datasetItemExpectedOutput: '"because"',
    datasetItemMetadata: '{"kind": "a", "level": {"deep": 1}}',
    traceId: 't',
    observationId: 'o',
    error: null,
    createdAtMs: Date.parse(first.json.createdAt),
  })
})

test('in dual, the item is also staged with the spans of its trace, without fields that spans lack; in legacy it is not', async () => {
  const body = { runName: 'staged', runDescription: 'd', metadata: { m: 1 }, datasetItemId: 'item-1', traceId: 't', observationId: 'o' }
  const staged = async (env: Readonly<Record<string, string>>) => {
    await using api = await start(env)
    const { json } = await api.send('POST', path, { body })
    const runId = (await api.runItems())[0]!.datasetRunId
    return { id: json.id, runId, createdAtMs: Date.parse(json.createdAt), items: await api.stagedRunItems() }
  }
  const { id, runId, createdAtMs, items } = await staged(dual)
  expect(items).toEqual([
    {
      ...{ key: 'project-0/t', projectId: 'project-0', writeMode: 'dual', id, rootId: 'o', createdAtMs, cut: 0 },
      ...{ runId, runName: 'staged', datasetId, itemId: 'item-1', itemVersionMs: itemSince.getTime() },
      ...{ runDescription: 'd', runMetadata: '{"m": 1}' },
      ...{ expectedOutput: '"because"', itemMetadata: '{"kind": "a", "level": {"deep": 1}}' },
    },
  ])
  const legacy = { ...dual, SVC_MIGRATION_V4_WRITE_MODE: 'legacy', SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false' }
  expect((await staged(legacy)).items).toEqual([])
})

test('a retry creates the same item', async () => {
  await using api = await start()
  const body = { runName: 'again', datasetItemId: 'item-1', traceId: 't' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => api.send('POST', path, { body })))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  expect(new Set(answers.map(({ json }) => `${json.id} ${json.datasetRunId}`)).size).toBe(1)
  expect((await datasets.runs()).filter(({ name }) => name === 'again')).toHaveLength(1)
})

test('a run that v3 created keeps its id', async () => {
  const made = { id: 'of-v3', project_id: 'project-0', dataset_id: datasetId, name: 'before', description: 'theirs', metadata: '[1]' }
  await datasets.store.db.insertInto('dataset_runs').values(made).execute()
  await using api = await start()
  const { json } = await api.send('POST', path, {
    body: { runName: 'before', datasetItemId: 'item-1', traceId: 't', runDescription: 'ours' },
  })
  expect(json.datasetRunId).toBe('of-v3')
  expect((await api.runItems())[0]).toMatchObject({ datasetRunDescription: 'theirs', datasetRunMetadata: '[1]' })
})

test('the item has the dataset version of the given time, and its own given time', async () => {
  await using api = await start()
  const body = { runName: 'versions', datasetItemId: 'item-2', traceId: 't' }
  const before = new Date(changedAt.getTime() - 1).toISOString()
  for (const datasetVersion of [before.replace('Z', '999Z'), changedAt.toISOString(), null, undefined]) {
    expect((await api.send('POST', path, { body: { ...body, traceId: String(datasetVersion), datasetVersion } })).status).toBe(200)
  }
  const items = new Map((await api.runItems()).map(item => [item.traceId, item]))
  expect(items.get(before.replace('Z', '999Z'))).toMatchObject({ datasetItemInput: '1', datasetItemVersionMs: itemSince.getTime() })
  for (const version of [changedAt.toISOString(), 'null', 'undefined'])
    expect(items.get(version)).toMatchObject({ datasetItemInput: '2', datasetItemVersionMs: changedAt.getTime() })
  const older = await api.send('POST', path, { body: { ...body, datasetVersion: '2025-12-31T23:59:59Z' } })
  expect(older.status).toBe(404)
  const at = '2026-03-01T10:00:00.123456+02:00'
  expect((await api.send('POST', path, { body: { ...body, createdAt: at } })).json.createdAt).toBe('2026-03-01T08:00:00.123Z')
})

test('the trace is looked up if only the observation is given', async () => {
  const asked: object[] = []
  const rows: Readonly<Record<string, object>> = {
    there: { trace_id: 'its trace', is_deleted: 0 },
    deleted: { trace_id: 'its trace', is_deleted: 1 },
    'without a trace': { trace_id: null, is_deleted: 0 },
  }
  await using api = await start(dual, {
    async query<Row>(_: string, params: object = {}) {
      asked.push(params)
      const row = rows[(params as { id: string }).id]
      return (row === undefined ? [] : [row]) as Row[]
    },
  })
  const send = (observationId: string) => api.send('POST', path, { body: { runName: 'looked up', datasetItemId: 'item-1', observationId } })
  expect((await send('there')).json).toMatchObject({ traceId: 'its trace', observationId: 'there' })
  expect(asked).toEqual([{ projectId: 'project-0', id: 'there' }])
  for (const id of ['deleted', 'without a trace', 'nowhere']) {
    const { status, json } = await send(id)
    expect([status, json]).toEqual([404, { message: 'Observation not found', error: 'SvcNotFoundError' }])
  }
  expect(await api.runItems()).toHaveLength(1)
})

const fine = { runName: 'refused', datasetItemId: 'item-1', traceId: 't' }

describe('refused requests', () => {
  // No request of these tests writes a record, so all tests share two APIs.
  const apis: TestApi[] = []
  beforeAll(async () => {
    for (const env of [dual, {}]) apis.push(await start(env))
  })
  afterAll(async () => {
    for (const api of apis) await api[Symbol.asyncDispose]()
  })

  test.each([
    ['an unknown key', { ...fine, runNam: 'x' }, ['runNam']],
    ['no name', { ...fine, runName: '' }, ['runName']],
    ['a name with NUL', { ...fine, runName: 'a\0b' }, ['runName']],
    ['a name without end', { ...fine, runName: 'x'.repeat(501) }, ['runName']],
    ['no item', { runName: 'refused', traceId: 't' }, ['datasetItemId']],
    ['neither trace nor observation', { ...fine, traceId: '', observationId: null }, ['traceId']],
    ['a version that is not a time', { ...fine, datasetVersion: 'v1' }, ['datasetVersion']],
    ['an invalid time', { ...fine, createdAt: '2026-02-30T00:00:00Z' }, ['createdAt']],
    ['an array', [fine], []],
  ])('%s is refused with the path of the field and creates nothing', async (_, body, field) => {
    for (const api of apis) {
      const { status, json } = await api.send('POST', path, { body })
      expect([status, json.message, json.error[0].path]).toEqual([400, 'Invalid request data', field])
      expect(await api.runItems()).toEqual([])
    }
    expect((await datasets.runs()).map(({ name }) => name)).not.toContain('refused')
  })

  test.each(['item-0', 'item-gone', 'item-other', 'a\0b', '\ud800'])(
    'an unknown dataset item gets 404 in every mode: %j',
    async datasetItemId => {
      for (const api of apis) {
        const { status, json } = await api.send('POST', path, { body: { ...fine, datasetItemId } })
        expect([status, json]).toEqual([404, { message: 'Dataset item not found', error: 'SvcNotFoundError' }])
      }
    },
  )
})

test('errors for missing permission, invalid JSON, large bodies and unavailable stores have the form of their family', async () => {
  await using api = await start()
  const status = async (options: object) => (await api.send('POST', path, options)).status
  expect(await status({ authorization: null, body: fine })).toBe(401)
  expect(await status({ authorization: organizationKey, body: fine })).toBe(403)
  expect(await status({ authorization: publicKeyAlone, body: fine })).toBe(403)
  expect(await status({ body: '{' })).toBe(400)
  expect(await status({ body: JSON.stringify(fine), headers: { 'content-type': 'text/plain' } })).toBe(415)
  expect(await status({ body: { ...fine, metadata: 'x'.repeat(1_000_000) } })).toBe(413)
  expect((await api.send('PUT', path, { body: fine })).status).toBe(405)

  const away = async () => {
    throw new AppError('log_unavailable', 'down')
  }
  await using without = await startApi({ env: dual, relational: datasets.store, log: () => ({ append: away }) })
  expect((await without.send('POST', path, { body: { ...fine, runName: 'away' } })).status).toBe(503)
})

test('a dataset item that fits no record gets 413, and its texts are not read', async () => {
  const text = JSON.stringify('x'.repeat(9_000_000))
  await datasets.store.db
    .insertInto('dataset_items')
    .values({ id: 'item-large', project_id: 'project-0', dataset_id: datasetId, input: text })
    .execute()
  await using api = await start()
  const { status, json } = await api.send('POST', path, { body: { ...fine, datasetItemId: 'item-large' } })
  expect([status, json.message]).toEqual([413, expect.stringMatching(/its dataset item have 9000002 bytes together/)])
})

test('characters that the relational store cannot hold are removed, and the rest is kept', async () => {
  await using api = await start()
  const body = { ...fine, runName: 'odd \ud800', runDescription: 'a\0b\ud800', metadata: { 'k\0\ud800': ['v\0', '\udc00', null] } }
  expect((await api.send('POST', path, { body })).status).toBe(200)
  const [run] = (await datasets.runs()).filter(({ name }) => name.startsWith('odd'))
  expect(run).toMatchObject({ name: 'odd \ufffd', description: 'ab\ufffd', metadata: { 'k\ufffd': ['v', '\ufffd', null] } })
})

test('a number that no JSON column holds gets 400', async () => {
  await using api = await start()
  const body = JSON.stringify({ ...fine, runName: 'endless', metadata: [null] }).replace('[null]', '[1e400]')
  expect((await api.send('POST', path, { body })).status).toBe(400)
})

test('events_only responds with a usable object, always with the same run id, and writes nothing', async () => {
  await using api = await start({})
  const send = (more: object) => api.send('POST', path, { body: { runName: 'compatible', datasetItemId: 'item-1', ...more } })
  const first = await send({ traceId: 't', observationId: 'o', createdAt: '2026-03-01T00:00:00Z' })
  expect([first.status, first.json]).toEqual([
    200,
    {
      id: expect.stringMatching(uuid),
      // The id consists of the first 16 hex digits of the SHA-256 of ["svc-experiment-v1","project-0","dataset-1","compatible"].
      datasetRunId: '0bfbda15e52a7e08',
      datasetRunName: 'compatible',
      datasetItemId: 'item-1',
      traceId: 't',
      observationId: 'o',
      createdAt: '2026-03-01T00:00:00.000Z',
      updatedAt: expect.any(String),
    },
  ])
  const second = await send({ observationId: 'o' })
  expect(second.json).toMatchObject({ traceId: '', observationId: 'o', datasetRunId: first.json.datasetRunId })
  expect(second.json.id).not.toBe(first.json.id)
  expect(await api.runItems()).toEqual([])
  expect((await datasets.runs()).map(({ name }) => name)).not.toContain('compatible')
})

test('a run has one id in every mode', async () => {
  const body = { ...fine, runName: 'across a switch' }
  await using before = await start()
  await using after = await start({})
  const [one, two] = [await before.send('POST', path, { body }), await after.send('POST', path, { body })]
  expect(one.json.datasetRunId).toBe(two.json.datasetRunId)
})

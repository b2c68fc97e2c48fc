import { afterAll, beforeAll, expect, test } from 'vitest'
import { awkwardNames, type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const dataset = (name: string, more: object = {}) => send('POST', '/v2/datasets', { name, ...more })
const item = (datasetName: string, more: object = {}) => send('POST', '/dataset-items', { datasetName, ...more })
const at = (name: string) => `/v2/datasets/${encodeURIComponent(name)}`
const datasetNames = (answer: { readonly json: { readonly data: readonly { readonly name: string }[] } }) =>
  answer.json.data.map(({ name }) => name)

test('a dataset is created and changed by its name: absent keys stay, null clears', async () => {
  const schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
  const fields = {
    description: 'why',
    metadata: { a: [1, null, 'ü'] },
    inputSchema: schema,
    expectedOutputSchema: { type: ['string', 'null'] },
  }
  const made = await dataset('fields', fields)
  expect([made.status, made.json]).toEqual([
    200,
    {
      ...fields,
      name: 'fields',
      projectId: 'project-0',
      id: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: made.json.createdAt,
    },
  ])
  expect((await send('GET', at('fields'))).json).toEqual(made.json)
  const changed = await dataset('fields', { description: 'because', metadata: 7 })
  expect(changed.json).toEqual({ ...made.json, description: 'because', metadata: 7, updatedAt: expect.any(String) })
  const cleared = await dataset('fields', { inputSchema: null, description: null, metadata: null })
  expect(cleared.json).toMatchObject({
    id: made.json.id,
    createdAt: made.json.createdAt,
    inputSchema: null,
    description: null,
    metadata: null,
  })
  expect(await opened.audit(made.json.id)).toEqual(['create dataset', 'update dataset', 'update dataset'])
  const many = await Promise.all(Array.from({ length: 10 }, () => dataset('at once')))
  expect(new Set(many.map(({ json }) => json.id)).size).toBe(1)
})

test.each(awkwardNames)('a dataset named %s is created, read and listed', async name => {
  const { json: made } = await dataset(name)
  expect(made.name).toBe(name)
  expect((await send('GET', at(name))).json).toEqual(made)
  expect((await send('GET', `/datasets/${encodeURIComponent(name)}`)).json).toMatchObject({ id: made.id, items: [], runs: [] })
  expect(datasetNames(await send('GET', '/v2/datasets?limit=100'))).toContain(name)
  const id = `item of ${name}`
  expect((await item(name, { id, input: name })).json).toMatchObject({ id, datasetName: name, input: name })
  const listed = await send('GET', `/dataset-items?datasetName=${encodeURIComponent(name)}`)
  expect(listed.json.data).toMatchObject([{ id, input: name }])
  expect((await send('GET', `/dataset-items/${encodeURIComponent(id)}`)).json).toEqual(listed.json.data[0])
  expect((await opened.sendOther('GET', at(name))).status).toBe(404)
  expect((await opened.sendOther('DELETE', `/dataset-items/${encodeURIComponent(id)}`)).status).toBe(404)
  expect((await send('DELETE', `/dataset-items/${encodeURIComponent(id)}`)).json).toEqual({ message: 'Dataset item successfully deleted' })
  expect((await send('GET', `/dataset-items/${encodeURIComponent(id)}`)).status).toBe(404)
})

test('a path that older clients encode twice finds the dataset', async () => {
  const { json } = await dataset('twice/encoded')
  expect((await send('GET', at(encodeURIComponent('twice/encoded')))).json).toEqual(json)
})

test('lists contain only the project’s datasets, in pages, newest first', async () => {
  for (const name of ['page 1', 'page 2', 'page 3']) await dataset(name)
  const first = await send('GET', '/v2/datasets?limit=2')
  expect(first.json.meta).toMatchObject({ page: 1, limit: 2, totalPages: Math.ceil(first.json.meta.totalItems / 2) })
  expect(first.json.data).toHaveLength(2)
  const times = (await send('GET', '/v2/datasets?limit=100')).json.data.map(({ createdAt }: { readonly createdAt: string }) => createdAt)
  expect(times).toEqual(times.toSorted().toReversed())
  expect((await send('GET', '/v2/datasets?page=1000')).json.data).toEqual([])
  expect((await send('GET', '/v2/datasets?limit=101')).status).toBe(400)
  const others = await opened.sendOther('GET', '/v2/datasets')
  expect(others.json).toEqual({ data: [], meta: { page: 1, limit: 50, totalItems: 0, totalPages: 0 } })
})

const contents = {
  input: { question: ['why', 0.1, null] },
  expectedOutput: 'because',
  metadata: { level: { deep: 1 } },
  sourceTraceId: 'trace',
  sourceObservationId: 'observation',
}

test('an item is created, changed by its id, archived and deleted; every version stays readable at its time', async () => {
  await dataset('versions')
  const made = await item('versions', { id: 'v', ...contents })
  expect([made.status, made.json]).toEqual([
    200,
    {
      ...contents,
      ...{ id: 'v', status: 'ACTIVE', datasetName: 'versions', datasetId: expect.any(String), mediaReferences: [] },
      ...{ createdAt: expect.any(String), updatedAt: made.json.createdAt, version: made.json.createdAt },
    },
  ])
  expect((await send('GET', '/dataset-items/v')).json).toEqual(made.json)
  const kept = await item('versions', { id: 'v', input: null, expectedOutput: 'so' })
  expect(kept.json).toMatchObject({ ...contents, expectedOutput: 'so', createdAt: made.json.createdAt })
  expect(kept.json.version > made.json.version).toBe(true)
  const archived = await item('versions', { id: 'v', status: 'ARCHIVED' })
  expect(archived.json).toMatchObject({ ...contents, status: 'ARCHIVED', expectedOutput: 'so' })
  expect((await send('GET', '/dataset-items/v')).json).toEqual(archived.json)
  expect((await send('GET', '/dataset-items?datasetName=versions')).json.data).toEqual([])
  await send('DELETE', '/dataset-items/v')
  expect((await send('DELETE', '/dataset-items/v')).status).toBe(404)

  const stateAt = async (version: string) => (await send('GET', `/dataset-items?datasetName=versions&version=${version}`)).json.data
  expect(await stateAt(made.json.version)).toEqual([made.json])
  expect(await stateAt(kept.json.version)).toEqual([kept.json])
  expect(await stateAt(archived.json.version)).toEqual([])
  expect(await stateAt('2020-01-01T00:00:00Z')).toEqual([])
  expect(await opened.audit('v')).toEqual(['create datasetItem', 'update datasetItem', 'update datasetItem', 'delete datasetItem'])

  const again = await item('versions', { id: 'v' })
  expect(again.json).toMatchObject({ input: null, expectedOutput: null, metadata: null, status: 'ACTIVE' })
  expect((await send('GET', '/dataset-items?version=2020-01-01T00:00:00Z')).status).toBe(400)
})

test('items are found by dataset and by source, in pages', async () => {
  await dataset('sources')
  await item('sources', { sourceTraceId: 't1' })
  await item('sources', { sourceTraceId: 't1', sourceObservationId: 'o1' })
  await item('sources', { sourceTraceId: 't2' })
  const total = async (query: string) => (await send('GET', `/dataset-items?datasetName=sources&${query}`)).json.meta.totalItems
  expect(await Promise.all(['', 'sourceTraceId=t1', 'sourceObservationId=o1', 'sourceTraceId=none'].map(total))).toEqual([3, 2, 1, 0])
  const page = await send('GET', '/dataset-items?datasetName=sources&limit=2&page=2')
  expect([page.json.data.length, page.json.meta]).toEqual([1, { page: 2, limit: 2, totalItems: 3, totalPages: 2 }])
  expect((await send('GET', '/dataset-items?datasetName=nothing')).json.message).toBe('Dataset not found')
})

test('an item id belongs to one dataset, and concurrent writes of an item produce consecutive versions', async () => {
  for (const name of ['one', 'two']) await dataset(name)
  expect((await item('one', { id: 'only' })).status).toBe(200)
  expect((await item('two', { id: 'only' })).status).toBe(409)
  expect((await item('nothing', { id: 'only' })).json).toMatchObject({ message: 'Dataset not found' })
  const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => item('one', { id: 'busy', input: n })))
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  const rows = await opened.store.db
    .selectFrom('dataset_items')
    .select(['valid_from', 'valid_to'])
    .where('id', '=', 'busy')
    .orderBy('valid_from')
    .execute()
  expect(rows).toHaveLength(answers.filter(({ status }) => status === 200).length)
  expect(rows.map(({ valid_to }) => valid_to)).toEqual([...rows.slice(1).map(({ valid_from }) => valid_from), null])
  expect((await opened.sendOther('POST', '/dataset-items', { datasetName: 'one' })).status).toBe(404)
})

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { q: { type: 'string' } },
  required: ['q'],
}

test('new and existing items must match the schemas of their dataset', async () => {
  await dataset('checked', { inputSchema: schema })
  expect((await item('checked', { id: 'good', input: { q: 'why' } })).status).toBe(200)
  for (const input of [{ q: 1 }, {}, 'text', undefined]) {
    const refused = await item('checked', { id: 'bad', input })
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringMatching(/^Dataset item validation failed/)])
  }
  expect((await item('checked', { id: 'good', input: { q: 2 } })).status).toBe(400)
  expect((await send('GET', '/dataset-items/good')).json.input).toEqual({ q: 'why' })
  const narrowed = await dataset('checked', { inputSchema: { ...schema, required: ['q', 'r'] }, description: 'narrower' })
  expect([narrowed.status, narrowed.json.error]).toEqual([
    400,
    [{ code: 'custom', message: expect.stringContaining('good'), path: ['inputSchema', 'good'] }],
  ])
  expect((await send('GET', at('checked'))).json).toMatchObject({ description: null, inputSchema: schema })
  const draft2020 = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { q: { type: 'string' } },
    properties: { q: { $ref: '#/$defs/q' } },
  }
  expect((await dataset('checked', { inputSchema: draft2020, expectedOutputSchema: { type: 'null' } })).status).toBe(200)
})

test.each<[string, unknown]>([
  ['no schema', { type: 'nonsense' }],
  ['no object', true],
  ['one that must be fetched', { $ref: 'http://127.0.0.1:1/schema.json' }],
  ['one that must be waited for', { $async: true, type: 'object' }],
])('a schema that is %s is refused', async (_, inputSchema) => {
  const refused = await dataset('refused', { inputSchema })
  expect([refused.status, refused.json.error[0].path]).toEqual([400, ['inputSchema']])
  expect((await send('GET', at('refused'))).status).toBe(404)
})

test('an item is refused if the dataset’s schema takes too long or refers to itself', async () => {
  await dataset('slow', { inputSchema: { type: 'string', pattern: '^(a+)+$' } })
  expect((await item('slow', { input: `${'a'.repeat(50)}!` })).status).toBe(400)
  await dataset('round', { inputSchema: { $ref: '#' } })
  expect((await item('round', { input: 1 })).status).toBe(400)
  expect((await item('slow', { input: 'aaa' })).status).toBe(200)
})

test('the routes before v2 return a dataset with its items and runs', async () => {
  const made = await send('POST', '/datasets', { name: 'former' })
  expect([made.status, made.json]).toEqual([200, expect.objectContaining({ name: 'former', items: [], runs: [] })])
  const { json: it } = await item('former', { input: 1 })
  await opened.store.db
    .insertInto('dataset_runs')
    .values({ id: 'run', project_id: 'project-0', dataset_id: made.json.id, name: 'a run' })
    .execute()
  expect((await send('GET', '/datasets/former')).json).toMatchObject({ items: [it], runs: ['a run'] })
  const listed = (await send('GET', '/datasets?limit=1')).json.data
  expect(listed).toMatchObject([{ name: 'former', items: [it.id], runs: ['a run'] }])
})

test.each([
  ['name', { name: '' }],
  ['name', {}],
  ['name', { name: 'nul\0' }],
  ['name', { name: 'x'.repeat(801) }],
  ['description', { name: 'n', description: 1 }],
])('a dataset with a wrong %s is refused with its path', async (field, body) => {
  const answer = await send('POST', '/v2/datasets', body)
  expect([answer.status, answer.json.error[0].path]).toEqual([400, [field]])
})

test('text that the store cannot hold is dropped in JSON', async () => {
  await dataset('texts', { metadata: { 'a\0b': 'c\0d' } })
  const { json } = await item('texts', { input: 'nul\0', metadata: '\ud800' })
  expect([json.input, json.metadata]).toEqual(['nul', '\ufffd'])
})

// The test rows for the requests of contract §§18.3 to 18.7 and §17.8.
import { expect } from 'vitest'
import { badPages, good, type Row, refused, refusedAt } from './rows.ts'

const comment = { projectId: 'ignored', objectType: 'PROMPT', objectId: '{prompt}', content: ' said ' }
const config = { name: 'stars (1-5)', dataType: 'NUMERIC', minValue: 1, maxValue: 5, description: 'd' }
const categories = [
  { label: 'good', value: 1 },
  { label: 'bad', value: 0 },
]
const model = { modelName: 'own', matchPattern: '(?i)^own$', inputPrice: 1, outputPrice: 2 }
const standard = { name: 'Standard', isDefault: true, priority: 0, conditions: [], prices: { input: 1 } }
const byUsage = { usageDetailPattern: '^input', operator: 'gt', value: 10 }
const byAttribute = { source: 'metadata', key: 'k', operator: 'in', values: ['a'] }
const large = { name: 'Large', isDefault: false, priority: 1, conditions: [byUsage, byAttribute], prices: { input: 2 } }
const tiered = { modelName: 'tiered', matchPattern: '^t', pricingTiers: [standard, large] }
const connection = { provider: 'p', adapter: 'openai', secretKey: 'sk-12345678' }
const sha256Hash = `${'A'.repeat(43)}=`
const media = { contentType: 'image/png', contentLength: 3, sha256Hash, traceId: 't', field: 'input' }
const nothing = 'none'

const comments: readonly Row[] = [
  good('POST /v2/prompts', { name: 'commented', prompt: 'a' }, {}, { status: 201, as: 'prompt' }),
  good('POST /comments', comment, { id: expect.any(String) }, { as: 'comment' }),
  good('GET /comments/{comment}', undefined, {
    content: 'said',
    objectType: 'PROMPT',
    objectId: '{prompt}',
    projectId: 'project-0',
    authorUserId: null,
  }),
  good('GET /comments?objectType=PROMPT&objectId={prompt}', undefined, { data: [{ id: '{comment}' }], meta: { totalItems: 1 } }),
  ...refused('POST /comments', 400, comment, [
    { projectId: undefined },
    { objectType: 'USER' },
    { objectId: undefined },
    { content: ' ' },
    { content: 'x'.repeat(5001) },
    { content: undefined },
    { authorUserId: 'nobody' },
    { unknown: 1 },
  ]),
  ...refused('POST /comments', 404, comment, [
    { objectId: nothing },
    ...['TRACE', 'OBSERVATION', 'SESSION'].map(objectType => ({ objectType })),
  ]),
  { request: 'POST /comments', body: comment, status: 404, by: 'other' },
  ...refusedAt('GET /comments', 400, [...badPages, '?objectId=a', '?objectType=USER', '?unknown=1']),
  { request: 'GET /comments/none', status: 404, says: { message: 'Comment not found within authorized project' } },
  { request: 'GET /comments/{comment}', status: 404, by: 'other' },
]

const scoreConfigs: readonly Row[] = [
  good('POST /score-configs', config, { ...config, isArchived: false, categories: null, projectId: 'project-0' }, { as: 'config' }),
  good('POST /score-configs', { name: 'c', dataType: 'CATEGORICAL', categories }, { categories, minValue: null }, { as: 'categorical' }),
  good(
    'POST /score-configs',
    { name: 'b', dataType: 'BOOLEAN' },
    {
      categories: [
        { label: 'True', value: 1 },
        { label: 'False', value: 0 },
      ],
    },
  ),
  good('POST /score-configs', { name: 't', dataType: 'TEXT' }, { categories: null }, { as: 'archived' }),
  good('PATCH /score-configs/{archived}', { isArchived: true }, { isArchived: true }),
  good('PATCH /score-configs/{config}', { name: 'n', maxValue: 6 }, { name: 'n', minValue: 1, maxValue: 6, description: 'd' }),
  good('GET /score-configs/{config}', undefined, { name: 'n' }),
  good('GET /score-configs', undefined, {
    data: expect.arrayContaining([expect.objectContaining({ isArchived: true })]),
    meta: { totalItems: 4 },
  }),
  ...refused('POST /score-configs', 400, config, [
    ...['', 'x'.repeat(36), 'a/b', 'a|b', undefined].map(name => ({ name })),
    { dataType: undefined },
    { dataType: 'CORRECTION' },
    { minValue: 5 },
    { minValue: 'a' },
    { dataType: 'CATEGORICAL', minValue: null, maxValue: null },
    ...['BOOLEAN', 'TEXT'].map(dataType => ({ dataType, minValue: null, maxValue: null, categories })),
  ]),
  ...refused('POST /score-configs', 400, { name: 'c', dataType: 'CATEGORICAL' }, [
    { categories: [...categories, { label: 'good', value: 3 }] },
    { categories: [...categories, { label: 'other', value: 1 }] },
    { categories: [{ label: 'a' }] },
  ]),
  ...refused('PATCH /score-configs/{config}', 400, {}, [
    {},
    { minValue: 7 },
    { categories },
    { name: 'x'.repeat(36) },
    { isArchived: 'yes' },
  ]),
  ...refusedAt('GET /score-configs', 400, badPages),
  { request: 'GET /score-configs/none', status: 404 },
  { request: 'PATCH /score-configs/none', body: { isArchived: true }, status: 404 },
  { request: 'GET /score-configs/{config}', status: 404, by: 'other' },
]

const models: readonly Row[] = [
  good(
    'POST /models',
    model,
    { ...model, unit: 'TOKENS', isSvcManaged: false, startDate: null, prices: { input: { price: 1 }, output: { price: 2 } } },
    { as: 'model' },
  ),
  good('POST /models', tiered, {
    pricingTiers: [standard, { ...large, conditions: [{ ...byUsage, caseSensitive: false }, byAttribute] }],
    inputPrice: 1,
  }),
  good('GET /models/{model}', undefined, { pricingTiers: [{ name: 'Standard', isDefault: true, priority: 0, conditions: [] }] }),
  good('PUT /models/given', { ...model, modelName: 'put', unit: 'IMAGES' }, { id: 'given', unit: 'IMAGES' }),
  good(
    'PUT /models/given',
    { modelName: 'put', matchPattern: '^p', totalPrice: 3 },
    { id: 'given', unit: 'TOKENS', inputPrice: null, totalPrice: 3 },
  ),
  ...refused('POST /models', 400, { ...model, modelName: 'bad' }, [
    { modelName: 'own' },
    { modelName: undefined },
    { modelName: '' },
    { matchPattern: undefined },
    { matchPattern: '(' },
    { unit: 'MILES' },
    { inputPrice: -1 },
    { totalPrice: 3 },
    { inputPrice: undefined, outputPrice: undefined },
    { pricingTiers: [standard] },
    { tokenizerId: 'own' },
    { startDate: 'yesterday' },
  ]),
  ...refused('POST /models', 400, { ...tiered, modelName: 'bad' }, [
    { pricingTiers: [] },
    { pricingTiers: [large] },
    { pricingTiers: [standard, { ...large, isDefault: true }] },
    { pricingTiers: [{ ...standard, priority: 1 }] },
    { pricingTiers: [{ ...standard, conditions: [byUsage] }] },
    { pricingTiers: [{ ...standard, name: ' ' }] },
    { pricingTiers: [{ ...standard, name: 'x'.repeat(101) }] },
    { pricingTiers: [{ ...standard, prices: {} }] },
    { pricingTiers: [{ ...standard, prices: { input: -1 } }] },
    ...[
      { conditions: [] },
      { prices: { output: 1 } },
      { priority: 0 },
      { priority: 1000 },
      { name: 'Standard' },
      { conditions: [{ ...byUsage, operator: 'in' }] },
      { conditions: [{ ...byUsage, value: -1 }] },
      { conditions: [{ ...byUsage, usageDetailPattern: 'x'.repeat(201) }] },
      { conditions: [{ ...byUsage, usageDetailPattern: '(?=a)' }] },
      { conditions: [{ ...byAttribute, source: 'input' }] },
      { conditions: [{ ...byAttribute, values: [] }] },
      { conditions: [{ ...byAttribute, key: 'x'.repeat(201) }] },
      { conditions: [{ ...byAttribute, operator: 'gt' }] },
    ].map(change => ({ pricingTiers: [standard, { ...large, ...change }] })),
  ]),
  ...refusedAt('GET /models', 400, badPages),
  { request: 'GET /models/none', status: 404 },
  { request: 'GET /models/{model}', status: 404, by: 'other' },
  { request: 'PUT /models/{model}', body: { ...model, modelName: 'theirs' }, status: 404, by: 'other' },
  { request: 'DELETE /models/{model}', status: 404, by: 'other' },
  good('DELETE /models/{model}', undefined, { message: 'Model successfully deleted' }),
  { request: 'DELETE /models/{model}', status: 404 },
]

const queues: readonly Row[] = [
  good(
    'POST /annotation-queues',
    { name: 'q', scoreConfigIds: ['{config}'] },
    { name: 'q', description: null, scoreConfigIds: ['{config}'] },
    { as: 'queue' },
  ),
  good('GET /annotation-queues', undefined, { data: [{ id: '{queue}' }], meta: { totalItems: 1 } }),
  good('GET /annotation-queues/{queue}', undefined, { name: 'q' }),
  good(
    'POST /annotation-queues/{queue}/items',
    { objectId: 't', objectType: 'TRACE' },
    { status: 'PENDING', completedAt: null, queueId: '{queue}' },
    { as: 'item' },
  ),
  good(
    'POST /annotation-queues/{queue}/items',
    { objectId: 's', objectType: 'SESSION', status: 'COMPLETED' },
    { completedAt: expect.any(String) },
  ),
  good('PATCH /annotation-queues/{queue}/items/{item}', {}, { status: 'PENDING' }),
  good('PATCH /annotation-queues/{queue}/items/{item}', { status: 'COMPLETED' }, { completedAt: expect.any(String) }),
  good('GET /annotation-queues/{queue}/items?status=COMPLETED', undefined, { meta: { totalItems: 2 } }),
  good('GET /annotation-queues/{queue}/items/{item}', undefined, { objectId: 't' }),
  ...refused('POST /annotation-queues', 400, { name: 'r', scoreConfigIds: ['{config}'] }, [
    { name: undefined },
    { name: '' },
    { scoreConfigIds: undefined },
    { scoreConfigIds: [] },
    { scoreConfigIds: [nothing] },
    { scoreConfigIds: ['{archived}'] },
    { unknown: 1 },
  ]),
  {
    request: 'POST /annotation-queues',
    body: { name: 'q', scoreConfigIds: ['{config}'] },
    status: 400,
    says: { message: expect.stringMatching(/^A queue with this name already exists\./) },
  },
  ...refused('POST /annotation-queues/{queue}/items', 400, { objectId: 't', objectType: 'TRACE' }, [
    { objectId: undefined },
    { objectType: undefined },
    { objectType: 'PROMPT' },
    { status: 'GONE' },
    { unknown: 1 },
  ]),
  ...refused('PATCH /annotation-queues/{queue}/items/{item}', 400, {}, [{ status: 'GONE' }, { unknown: 1 }]),
  ...refusedAt('GET /annotation-queues', 400, [...badPages, '?unknown=1', '?fromTimestamp=a']),
  ...refusedAt('GET /annotation-queues/{queue}/items', 400, [...badPages, '?unknown=1', '?status=GONE']),
  ...refusedAt('GET /annotation-queues', 404, ['/none', '/none/items', '/{queue}/items/none']),
  { request: 'GET /annotation-queues/{queue}', status: 404, by: 'other' },
  { request: 'POST /annotation-queues/none/items', body: { objectId: 't', objectType: 'TRACE' }, status: 404 },
  { request: 'PATCH /annotation-queues/{queue}/items/none', body: { status: 'PENDING' }, status: 404 },
  { request: 'DELETE /annotation-queues/{queue}/items/none', status: 404 },
  { request: 'POST /annotation-queues/{queue}/assignments', body: {}, status: 400 },
  { request: 'POST /annotation-queues/{queue}/assignments', body: { userId: 'a', unknown: 1 }, status: 400 },
  {
    request: 'POST /annotation-queues/{queue}/assignments',
    body: { userId: 'nobody' },
    status: 404,
    says: { message: 'User not found or not authorized for this project' },
  },
  { request: 'POST /annotation-queues/none/assignments', body: { userId: '{user}' }, status: 404 },
  good(
    'POST /annotation-queues/{queue}/assignments',
    { userId: '{user}' },
    { userId: '{user}', queueId: '{queue}', projectId: 'project-0' },
  ),
  good('POST /annotation-queues/{queue}/assignments', { userId: '{user}' }, { userId: '{user}' }),
  good('DELETE /annotation-queues/{queue}/assignments', { userId: '{user}' }, { success: true }),
  good('DELETE /annotation-queues/{queue}/assignments', { userId: 'nobody' }, { success: true }),
  { request: 'DELETE /annotation-queues/{queue}/assignments', body: {}, status: 400 },
  { request: 'DELETE /annotation-queues/none/assignments', body: { userId: 'nobody' }, status: 404 },
  good('DELETE /annotation-queues/{queue}/items/{item}', undefined, { success: true, message: expect.any(String) }),
]

const connections: readonly Row[] = [
  good(
    'PUT /llm-connections',
    { ...connection, customModels: ['m'], extraHeaders: { 'x-a': 'b' }, baseURL: 'https://models.example.com/v1' },
    {
      ...{ provider: 'p', adapter: 'openai', displaySecretKey: '...5678', baseURL: 'https://models.example.com/v1' },
      ...{ customModels: ['m'], withDefaultModels: true, extraHeaderKeys: ['x-a'], config: null },
    },
    { status: 201, as: 'connection' },
  ),
  good('PUT /llm-connections', connection, { id: '{connection}', customModels: [], extraHeaderKeys: [], baseURL: null }),
  good(
    'PUT /llm-connections',
    { provider: 'b', adapter: 'bedrock', secretKey: '{"accessKeyId":"a","secretAccessKey":"abcdefgh"}', config: { region: 'eu' } },
    { displaySecretKey: '...efgh', config: { region: 'eu' } },
    { status: 201 },
  ),
  good('GET /llm-connections', undefined, { meta: { totalItems: 2 } }),
  ...refused('PUT /llm-connections', 400, connection, [
    { provider: undefined },
    { provider: '' },
    { adapter: 'other' },
    { secretKey: '' },
    { secretKey: undefined },
    { baseURL: 'text' },
    { baseURL: 'http://127.0.0.1' },
    { baseURL: 'http://[::1]/' },
    { baseURL: 'http://169.254.169.254/latest' },
    { baseURL: 'ftp://example.com' },
    { config: { region: 'eu' } },
    { config: { useResponsesApi: 'yes' } },
    { adapter: 'anthropic', config: { region: 'eu' } },
    { adapter: 'bedrock', secretKey: '{"accessKeyId":"a","secretAccessKey":"b"}' },
    { adapter: 'bedrock', config: { region: 'eu' } },
    { customModels: 'm' },
    { extraHeaders: ['a'] },
    { withDefaultModels: 'yes' },
  ]),
  ...refusedAt('GET /llm-connections', 400, [...badPages, '?unknown=1']),
  { request: 'DELETE /llm-connections/{connection}', status: 404, by: 'other' },
  good('DELETE /llm-connections/{connection}', undefined, { message: 'LLM connection successfully deleted' }),
  { request: 'DELETE /llm-connections/{connection}', status: 404 },
]

const medias: readonly Row[] = [
  good('POST /media', media, { mediaId: 'A'.repeat(22), uploadUrl: expect.stringMatching(/^https?:/) }, { status: 201 }),
  good('POST /media', { ...media, observationId: 'o', datasetId: null, datasetItemId: null }, {}, { status: 201 }),
  ...refused('POST /media', 400, media, [
    { contentType: 'image/none' },
    { contentType: undefined },
    { contentLength: 0 },
    { contentLength: 1.5 },
    { contentLength: 1_000_000_001 },
    { sha256Hash: 'short' },
    { sha256Hash: undefined },
    { field: 'expectedOutput' },
    { field: undefined },
    { traceId: undefined },
    { traceId: undefined, observationId: 'o' },
    { datasetId: 'd', datasetItemId: 'i' },
    { traceId: undefined, datasetId: 'd' },
    { traceId: undefined, datasetId: 'd', datasetItemId: 'i', field: 'output' },
  ]),
  { request: `GET /media/${'A'.repeat(22)}`, status: 404 },
  { request: 'GET /media/none', status: 404 },
  { request: 'PATCH /media/none', body: { uploadedAt: '2026-01-01T00:00:00Z', uploadHttpStatus: 200 }, status: 404 },
  ...refused(`PATCH /media/${'A'.repeat(22)}`, 400, { uploadedAt: '2026-01-01T00:00:00Z', uploadHttpStatus: 200 }, [
    { uploadedAt: undefined },
    { uploadedAt: 'yesterday' },
    { uploadHttpStatus: 0 },
    { uploadHttpStatus: undefined },
    { uploadTimeMs: 'a' },
  ]),
  good(`PATCH /media/${'A'.repeat(22)}`, {
    uploadedAt: '2026-01-01T00:00:00Z',
    uploadHttpStatus: 500,
    uploadHttpError: 'e',
    uploadTimeMs: 1.5,
  }),
]

export const configuredRows: readonly Row[] = [...comments, ...scoreConfigs, ...models, ...queues, ...connections, ...medias]

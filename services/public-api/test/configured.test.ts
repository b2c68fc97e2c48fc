import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { awkwardNames, type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const times = { createdAt: time, updatedAt: time }

describe('score configurations', () => {
  const mood = [
    { label: 'good', value: 1 },
    { label: 'bad', value: -1.5 },
  ]
  const create = (body: object) => send('POST', '/score-configs', body)
  const nothing = { description: null, isArchived: false, minValue: null, maxValue: null, categories: null, projectId: 'project-0' }

  test.each([
    [{ name: 'stars (1-5)', dataType: 'NUMERIC', minValue: 1, maxValue: 5.5, description: 'how good' }, {}],
    [{ name: 'mood.é_ -', dataType: 'CATEGORICAL', categories: mood }, {}],
    [
      { name: 'yes', dataType: 'BOOLEAN' },
      {
        categories: [
          { label: 'True', value: 1 },
          { label: 'False', value: 0 },
        ],
      },
    ],
    [{ name: 'words', dataType: 'TEXT', categories: null, minValue: null }, {}],
  ])('a score configuration is read back unchanged: %j', async (body, more) => {
    const made = await create(body)
    expect([made.status, made.json]).toEqual([200, { id: expect.any(String), ...nothing, ...body, ...more, ...times }])
    expect((await send('GET', `/score-configs/${made.json.id}`)).json).toEqual(made.json)
    expect((await send('GET', '/score-configs?limit=100')).json.data).toContainEqual(made.json)
    expect((await opened.sendOther('GET', `/score-configs/${made.json.id}`)).status).toBe(404)
    expect((await opened.sendOther('PATCH', `/score-configs/${made.json.id}`, { isArchived: true })).status).toBe(404)
  })

  test('PATCH changes the given fields, null clears one, and the type cannot change', async () => {
    const { json } = await create({ name: 'n', dataType: 'NUMERIC', minValue: 0, maxValue: 1, description: 'd' })
    const patch = (body: object) => send('PATCH', `/score-configs/${json.id}`, body)
    expect((await patch({ name: 'm', minValue: null, description: null })).json).toMatchObject({
      name: 'm',
      minValue: null,
      maxValue: 1,
      description: null,
    })
    expect((await patch({ isArchived: true, name: null })).json).toMatchObject({ isArchived: true, name: 'm' })
    for (const wrong of [{}, { dataType: 'TEXT' }, { categories: mood }, { minValue: 1 }, { name: 'a/b' }, { name: '' }]) {
      expect((await patch(wrong)).status, JSON.stringify(wrong)).toBe(400)
    }
    expect((await send('GET', `/score-configs/${json.id}`)).json).toMatchObject({ dataType: 'NUMERIC', isArchived: true, maxValue: 1 })
    expect(await opened.audit(json.id)).toEqual(['create scoreConfig', 'update scoreConfig', 'update scoreConfig'])
  })

  test.each([
    { name: 'n', dataType: 'OTHER' },
    { name: 'x'.repeat(36), dataType: 'TEXT' },
    { name: 'n', dataType: 'CATEGORICAL' },
    { name: 'n', dataType: 'CATEGORICAL', categories: [...mood, { label: 'good', value: 3 }] },
    { name: 'n', dataType: 'BOOLEAN', categories: mood },
    { name: 'n', dataType: 'NUMERIC', minValue: 1, maxValue: 1 },
    { dataType: 'TEXT' },
  ])('an invalid score configuration is refused: %j', async body => {
    expect((await create(body)).status).toBe(400)
  })
})

describe('models', () => {
  const create = (body: object) => send('POST', '/models', body)
  const flat = { modelName: 'flat', matchPattern: '(?i)^flat$', inputPrice: 0.000_001, outputPrice: 2e-7 }
  const byUsage = { usageDetailPattern: '^input', operator: 'gt', value: 200_000 }
  const byAttribute = { source: 'metadata', key: 'tier', operator: 'in', values: ['high', 'low'] }
  const tiers = [
    { name: 'Standard', isDefault: true, priority: 0, conditions: [], prices: { input: 1, 'cached_input/é': 0.1 } },
    { name: 'Large', isDefault: false, priority: 5, conditions: [byUsage, byAttribute], prices: { input: 2, 'cached_input/é': 0.2 } },
  ]

  test('flat prices become one tier with the same prices', async () => {
    const made = await create({ ...flat, startDate: '2026-01-01T01:00:00+01:00', tokenizerId: 'openai', tokenizerConfig: { a: [1] } })
    expect([made.status, made.json]).toEqual([
      200,
      {
        ...flat,
        ...{ id: expect.any(String), startDate: '2026-01-01T00:00:00.000Z', unit: 'TOKENS', totalPrice: null, createdAt: time },
        ...{ tokenizerId: 'openai', tokenizerConfig: { a: [1] }, isSvcManaged: false },
        prices: { input: { price: 0.000_001 }, output: { price: 2e-7 } },
        pricingTiers: [
          {
            id: expect.any(String),
            name: 'Standard',
            isDefault: true,
            priority: 0,
            conditions: [],
            prices: { input: 0.000_001, output: 2e-7 },
          },
        ],
      },
    ])
    expect((await send('GET', `/models/${made.json.id}`)).json).toEqual(made.json)
    expect((await opened.sendOther('GET', `/models/${made.json.id}`)).status).toBe(404)
    expect((await opened.sendOther('DELETE', `/models/${made.json.id}`)).status).toBe(404)
    expect((await send('DELETE', `/models/${made.json.id}`)).json).toEqual({ message: 'Model successfully deleted' })
    expect((await send('GET', `/models/${made.json.id}`)).status).toBe(404)
    expect(await opened.audit(made.json.id)).toEqual(['create model', 'delete model'])
  })

  test('tiers are read back; PUT replaces the model as a whole', async () => {
    const path = `/models/${encodeURIComponent('an/id % é')}`
    const put = (body: object) => send('PUT', path, body)
    const made = await put({ modelName: 'tiered', matchPattern: '^t', unit: 'CHARACTERS', pricingTiers: tiers, tokenizerId: 'claude' })
    expect(made.json).toMatchObject({
      id: 'an/id % é',
      unit: 'CHARACTERS',
      prices: { input: { price: 1 }, 'cached_input/é': { price: 0.1 } },
    })
    const told = tiers.map(tier => ({ ...tier, id: expect.any(String) }))
    told[1]!.conditions = [{ ...byUsage, caseSensitive: false }, byAttribute] as never
    expect((await send('GET', path)).json.pricingTiers).toEqual(told)
    const replaced = await put({ modelName: 'tiered', matchPattern: '^u', totalPrice: 3 })
    expect(replaced.json).toMatchObject({
      ...{ createdAt: made.json.createdAt, matchPattern: '^u', totalPrice: 3, inputPrice: null, tokenizerId: null },
      prices: { total: { price: 3 } },
    })
    expect((await opened.sendOther('PUT', path, flat)).status).toBe(404)
    expect((await send('GET', path)).json).toEqual(replaced.json)
  })

  test('managed models are listed and read, and cannot be changed', async () => {
    const { json } = await send('GET', '/models?limit=5')
    expect(json.meta.totalItems).toBeGreaterThan(50)
    const managed = json.data.find(({ isSvcManaged }: { readonly isSvcManaged: boolean }) => isSvcManaged)
    expect((await send('GET', `/models/${encodeURIComponent(managed.id)}`)).json).toEqual(managed)
    expect((await send('DELETE', `/models/${encodeURIComponent(managed.id)}`)).status).toBe(404)
    expect((await send('PUT', `/models/${encodeURIComponent(managed.id)}`, flat)).status).toBe(404)
    const own = await create({ ...flat, modelName: managed.modelName })
    expect(own.status).toBe(200)
    expect((await create({ ...flat, modelName: managed.modelName })).status).toBe(400)
  })

  test.each(awkwardNames.slice(3, 7))('a model named %s is read back', async modelName => {
    const { json } = await create({ modelName, matchPattern: '^a', totalPrice: 0 })
    expect((await send('GET', `/models/${json.id}`)).json.modelName).toBe(modelName)
  })

  test.each<[string, object]>([
    ['no prices', { inputPrice: undefined, outputPrice: undefined }],
    ['both kinds of prices', { pricingTiers: tiers }],
    ['a total beside its parts', { totalPrice: 1 }],
    ['a negative price', { inputPrice: -1 }],
    ['a bad pattern', { matchPattern: '(' }],
    ['an unknown unit', { unit: 'MILES' }],
    ['an unknown tokenizer', { tokenizerId: 'own' }],
    ['no time', { startDate: 'yesterday' }],
  ])('an invalid model is refused: %s', async (_, more) => {
    expect((await create({ ...flat, modelName: 'refused', ...more })).status).toBe(400)
  })

  const [standard, large] = tiers as [object, object]
  test.each<[string, readonly object[]]>([
    ['none', []],
    ['no default', [large]],
    ['two defaults', [standard, { ...standard, name: 'x', priority: 1 }]],
    ['a default with another priority', [{ ...standard, priority: 1 }]],
    ['a tier without conditions', [standard, { ...large, conditions: [] }]],
    ['other usage types', [standard, { ...large, prices: { input: 1 } }]],
    ['no usage types', [{ ...standard, prices: {} }]],
    ['a priority twice', [standard, large, { ...large, name: 'x' }]],
    ['a name twice', [standard, { ...large, name: ' Standard ' }]],
    ['a bad pattern', [standard, { ...large, conditions: [{ ...byUsage, usageDetailPattern: '(a' }] }]],
    ['no values', [standard, { ...large, conditions: [{ ...byAttribute, values: [] }] }]],
    ['an unknown operator', [standard, { ...large, conditions: [{ ...byUsage, operator: 'in' }] }]],
    ['a usage type that cannot be stored', [{ ...standard, prices: { 'a\0': 1 } }]],
  ])('tiers with %s are refused', async (_, pricingTiers) => {
    expect((await create({ modelName: 'refused', matchPattern: '^r', pricingTiers })).status).toBe(400)
  })
})

describe('annotation queues', () => {
  let configs: readonly string[]
  beforeAll(async () => {
    const made = await Promise.all(['a', 'b', 'archived'].map(name => send('POST', '/score-configs', { name, dataType: 'TEXT' })))
    configs = made.map(({ json }) => json.id)
    await send('PATCH', `/score-configs/${configs[2]}`, { isArchived: true })
  })
  const create = (name: string, more: object = {}) =>
    send('POST', '/annotation-queues', { name, scoreConfigIds: configs.slice(0, 2), ...more })

  test.each(awkwardNames)('a queue named %s is read back', async name => {
    const made = await create(name, { description: 'why' })
    const told = { id: expect.any(String), name, description: 'why', scoreConfigIds: configs.slice(0, 2), ...times }
    expect([made.status, made.json]).toEqual([200, told])
    expect((await send('GET', `/annotation-queues/${made.json.id}`)).json).toEqual(made.json)
    expect((await send('GET', '/annotation-queues?limit=100')).json.data).toContainEqual(made.json)
    expect((await opened.sendOther('GET', `/annotation-queues/${made.json.id}`)).status).toBe(404)
    const again = await create(name)
    expect([again.status, again.json.message]).toEqual([400, expect.stringMatching(/^A queue with this name already exists\./)])
  })

  test('queues are listed by creation time, and unknown keys are refused', async () => {
    const { json } = await create('timed')
    const total = async (query: string) => (await send('GET', `/annotation-queues?${query}`)).json.meta.totalItems
    const all = await total('')
    expect(await total(`fromTimestamp=2020-01-01T00:00:00Z&toTimestamp=${json.createdAt}`)).toBeLessThan(all)
    expect(await total(`fromTimestamp=${json.createdAt}`)).toBeGreaterThan(0)
    expect(await total('fromTimestamp=2099-01-01T00:00:00Z')).toBe(0)
    expect((await send('GET', '/annotation-queues?unknown=1')).status).toBe(400)
    for (const wrong of [
      { scoreConfigIds: [] },
      { scoreConfigIds: ['none'] },
      { scoreConfigIds: [configs[2]] },
      { unknown: 1 },
      { name: '' },
    ]) {
      expect((await create('wrong', wrong)).status, JSON.stringify(wrong)).toBe(400)
    }
  })

  test('items are added, completed, reopened and removed', async () => {
    const { json: queue } = await create('items')
    const path = `/annotation-queues/${queue.id}/items`
    const pending = await send('POST', path, { objectId: 'a/trace', objectType: 'TRACE' })
    const told = {
      id: expect.any(String),
      queueId: queue.id,
      objectId: 'a/trace',
      objectType: 'TRACE',
      status: 'PENDING',
      completedAt: null,
      ...times,
    }
    expect([pending.status, pending.json]).toEqual([200, told])
    const done = await send('POST', path, { objectId: 's', objectType: 'SESSION', status: 'COMPLETED' })
    expect(done.json).toMatchObject({ status: 'COMPLETED', completedAt: time })
    const item = `${path}/${pending.json.id}`
    expect((await send('GET', item)).json).toEqual(pending.json)
    expect((await send('PATCH', item, {})).json).toEqual(pending.json)
    expect((await send('PATCH', item, { status: 'COMPLETED' })).json).toMatchObject({ status: 'COMPLETED', completedAt: time })
    expect((await send('PATCH', item, { status: 'PENDING' })).json).toMatchObject({ status: 'PENDING', completedAt: null })
    const ids = async (query: string) => (await send('GET', `${path}?${query}`)).json.data.map(({ id }: { readonly id: string }) => id)
    expect(await ids('status=COMPLETED')).toEqual([done.json.id])
    expect(await ids('')).toHaveLength(2)
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { status: 'COMPLETED' }],
      ['DELETE', undefined],
    ] as const) {
      expect((await opened.sendOther(method, item, body)).status).toBe(404)
    }
    expect((await opened.sendOther('GET', path)).status).toBe(404)
    expect((await send('POST', '/annotation-queues/none/items', { objectId: 'a', objectType: 'TRACE' })).status).toBe(404)
    expect((await send('POST', path, { objectId: 'a', objectType: 'PROMPT' })).status).toBe(400)
    expect((await send('DELETE', item)).json).toMatchObject({ success: true, message: expect.any(String) })
    expect((await send('DELETE', item)).status).toBe(404)
    expect(await opened.audit(pending.json.id)).toEqual([
      'create annotationQueueItem',
      'update annotationQueueItem',
      'update annotationQueueItem',
      'delete annotationQueueItem',
    ])
  })

  test('assignments require an existing user and queue', async () => {
    const { json: queue } = await create('assigned')
    const path = `/annotation-queues/${queue.id}/assignments`
    expect((await send('POST', path, { userId: 'nobody' })).json.message).toBe('User not found or not authorized for this project')
    expect((await send('POST', '/annotation-queues/none/assignments', { userId: 'nobody' })).json.message).toBe(
      'Annotation queue not found',
    )
    expect((await send('DELETE', path, { userId: 'nobody' })).json).toEqual({ success: true })
    expect((await send('DELETE', '/annotation-queues/none/assignments', { userId: 'nobody' })).status).toBe(404)
  })
})

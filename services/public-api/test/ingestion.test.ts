import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import { publicKeyAlone, startApi } from './api.ts'

const legacy = {
  SVC_MIGRATION_V4_WRITE_MODE: 'dual',
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
}
const at = new Date().toISOString()
const event = (type: string, body: unknown, id = `e-${type}`) => ({ id, type, timestamp: at, body })
const post = { path: '/api/public/ingestion', method: 'POST' } as const

const permutationsOf = (items: readonly number[]): readonly (readonly number[])[] =>
  items.length < 2 ? [items] : items.flatMap(item => permutationsOf(items.filter(other => other !== item)).map(rest => [item, ...rest]))

test('every legacy event type becomes one unchanged record with the key of its entity', async () => {
  await using api = await startApi({ env: legacy })
  const observation = { id: 'o', traceId: 't', name: null, input: { a: [1, null, 'é'] }, unknown: 1, startTime: at }
  const types = ['event', 'span', 'generation', 'agent', 'tool', 'chain', 'retriever', 'evaluator', 'embedding', 'guardrail']
  const batch = [
    event('trace-create', { id: 't', tags: ['b', 'a'], metadata: { deep: { x: 1 } }, public: true }),
    ...types.map(type => event(`${type}-create`, observation)),
    ...['span-update', 'generation-update'].map(type => event(type, { ...observation, level: 'WARNING' })),
    ...['observation-create', 'observation-update'].map(type => event(type, { ...observation, type: 'SPAN' })),
  ]
  const headers = { 'x-svc-sdk-name': 'svc-js', 'x-svc-sdk-version': '3.39.2' }
  const answer = await api.send(post.method, post.path, { body: { batch, metadata: { sdk_name: 'x' } }, headers })
  expect([answer.status, answer.json.errors]).toEqual([207, []])
  expect(answer.json.successes).toEqual(batch.map(({ id }) => ({ id, status: 201 })))
  const events = await api.events()
  expect(events.map(({ eventType }) => eventType).sort()).toEqual(batch.map(({ type }) => type).sort())
  const trace = events.find(({ entityType }) => entityType === 'trace')
  expect(trace).toMatchObject({ projectId: 'project-0', apiKey: 'pk-test', sdkName: 'svc-js', sdkVersion: '3.39.2', writeMode: 'dual' })
  expect([trace!.entityId, trace!.eventId, trace!.timestampUs]).toEqual(['t', 'e-trace-create', Date.parse(at) * 1000])
  expect(trace!.json).toEqual({ id: 't', tags: ['b', 'a'], metadata: { deep: { x: 1 } }, public: true })
  // Null stays null, and absent keys stay absent. Unknown keys are dropped.
  const { unknown: _, ...known } = observation
  expect(events.find(({ eventType }) => eventType === 'span-create')!.json).toEqual(known)
  expect(new Set(events.filter(({ entityType }) => entityType === 'observation').map(({ entityId }) => entityId))).toEqual(new Set(['o']))
})

test('several versions of a score in a batch are on the log in the order of their event times', async () => {
  await using api = await startApi({ env: legacy })
  const said = (id: string) =>
    [3, 1, 2, 2].map((second, value) => ({
      ...event('score-create', { id, traceId: 't', name: 'n', value }, `${id} ${value}`),
      timestamp: new Date(Date.parse(at) + second).toISOString(),
    }))
  const orders = permutationsOf([0, 1, 2, 3])
  for (const [number, order] of orders.entries()) {
    const batch = said(`score ${number}`)
    const { json } = await api.send(post.method, post.path, { body: { batch: order.map(place => batch[place]) } })
    expect(json.errors).toEqual([])
  }
  const values = Map.groupBy(await api.scores(), ({ id }) => id)
  expect(orders.map((_, number) => values.get(`score ${number}`)!.map(({ value }) => value))).toEqual(orders.map(() => [1, 2, 3, 0]))
})

test('a bad event affects only itself, and its error has the path of the field', async () => {
  await using api = await startApi({ env: legacy })
  const batch = [
    event('span-create', { id: 'good', traceId: 't' }, 'good'),
    event('span-create', { startTime: 'yesterday' }, 'time'),
    event('span-create', { startTime: '1971-01-01T00:00:00Z' }, 'age'),
    event('span-update', { traceId: 't' }, 'update'),
    event('trace-create', { name: 'x'.repeat(1001) }, 'name'),
    event('generation-create', { promptName: 'p' }, 'prompt'),
    event('dataset-run-item-create', {}, 'internal'),
    event('constructor', {}, 'builtin'),
    { ...event('span-create', {}, 'when'), timestamp: 'now' },
    { type: 'span-create' },
    'text',
    null,
  ]
  const { json } = await api.send(post.method, post.path, { body: { batch } })
  expect(json.successes).toEqual([{ id: 'good', status: 201 }])
  expect(new Set(json.errors.map((error: { status: number; message: string }) => `${error.status} ${error.message}`))).toEqual(
    new Set(['400 Invalid request data']),
  )
  const texts = Object.fromEntries(json.errors.map((error: { id: string; error: string }) => [error.id, error.error]))
  expect(texts.time).toMatch(/^body\.startTime: Expected an ISO 8601/)
  expect(texts.age).toMatch(/^body\.startTime: 1971-01-01T00:00:00Z is outside/)
  expect(texts.update).toMatch(/^body\.id:/)
  expect(texts.name).toMatch(/^body\.name:/)
  expect(texts.prompt).toMatch(/^body\.promptVersion: Give promptName and promptVersion together/)
  expect(texts.internal).toMatch(/^type: There is no event type "dataset-run-item-create"/)
  expect(texts.builtin).toMatch(/^type: There is no event type/)
  expect(texts.when).toMatch(/^timestamp:/)
  expect(json.errors.filter(({ id }: { id: string }) => id === 'unknown')).toHaveLength(3)
  expect(await api.events()).toHaveLength(1)
})

test('an event without an id gets the same id in a retry, and every accepted event has a record', async () => {
  await using api = await startApi({ env: legacy })
  const batch = [
    event('trace-create', { name: 'n' }),
    event('span-create', { name: 'n', id: '' }),
    event('score-create', { name: 's', value: 1, traceId: 't' }),
  ]
  const [first, second] = [
    await api.send(post.method, post.path, { body: { batch } }),
    await api.send(post.method, post.path, { body: { batch } }),
  ]
  expect([first.json.successes.length, second.json.successes.length]).toEqual([3, 3])
  const ids = (await api.events()).map(({ entityType, entityId, json }) => `${entityType} ${entityId} ${json['id'] === entityId}`)
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(2)
  expect(ids.every(id => /^\w+ [0-9a-f-]{36} true$/.test(id))).toBe(true)
  const scores = await api.scores()
  expect(scores).toHaveLength(2)
  expect(scores[0]!.id).toBe(scores[1]!.id)
})

test('sdk-log is dropped, counted and not among the successes', async () => {
  await using api = await startApi({ env: legacy })
  const { json } = await api.send(post.method, post.path, { body: { batch: [event('sdk-log', { log: { a: 1 } })] } })
  expect(json).toEqual({ successes: [], errors: [] })
  expect(await api.metric('svc_api_events_total', { outcome: 'dropped' })).toBe(1)
})

test('events_only accepts scores and refuses every other event with advice', async () => {
  await using api = await startApi()
  const score = event('score-create', { name: 's', value: 0.5, traceId: 't', environment: 'SVC-Prod' })
  const batch = [event('trace-create', { id: 't' }), event('sdk-log', { log: 1 }), score]
  const plain = await api.send(post.method, post.path, { body: { batch } })
  expect(plain.json.successes).toEqual([{ id: score.id, status: 201 }])
  for (const error of plain.json.errors) {
    expect(error).toMatchObject({ status: 400, message: 'Event type not accepted' })
    expect(error.error).toMatch(
      /^(trace-create|sdk-log) is not accepted with SVC_MIGRATION_V4_WRITE_MODE=events_only: .*dual as a bridge\.$/,
    )
  }
  const old = await api.send(post.method, post.path, {
    body: { batch },
    headers: { x_svc_sdk_name: 'python', x_svc_sdk_version: '2.60.10' },
  })
  expect(old.json.errors[0].error).toMatch(/python 2\.60\.10 is too old for this server: upgrade to Python SDK 4\.7\.0 or newer/)
  expect(await api.events()).toEqual([])
  expect((await api.scores()).map(({ environment, sdkName }) => [environment, sdkName])).toEqual([
    ['prod', 'unknown'],
    ['prod', 'python'],
  ])
})

test('a public key alone may send scores; other events in its batch are refused one by one', async () => {
  await using api = await startApi({ env: legacy })
  const batch = [event('span-create', { id: 'o' }), event('score-create', { name: 's', value: 1, sessionId: 'x' })]
  const { status, json } = await api.send(post.method, post.path, { body: { batch }, authorization: publicKeyAlone })
  expect([status, json.successes.length]).toEqual([207, 1])
  expect(json.errors).toMatchObject([{ id: 'e-span-create', status: 401, message: 'Authentication error' }])
})

test('a large batch is processed in a thread and gets the same response', async () => {
  await using api = await startApi({ env: legacy })
  const batch = Array.from({ length: 2000 }, (_, at) => event('span-create', { id: `o-${at}`, input: 'x'.repeat(200) }, `e-${at}`))
  batch.push(event('span-create', { level: 'LOUD' }, 'bad'))
  const { json } = await api.send(post.method, post.path, { body: { batch } })
  expect([json.successes.length, json.errors.length]).toEqual([2000, 1])
  expect(new Set((await api.events()).map(({ entityId }) => entityId)).size).toBe(2000)
})

test.each([
  ['the log does not answer', new AppError('log_unavailable', 'No broker.'), 503],
  ['the log throws what it never throws', new Error('defect'), 500],
])('when %s, nothing is reported as accepted', async (_, error, status) => {
  const append = async () => {
    throw error
  }
  await using api = await startApi({ env: legacy, log: () => ({ append }) })
  const answer = await api.send(post.method, post.path, {
    body: { batch: [event('span-create', {}), event('score-create', { name: 's', value: 1, traceId: 't' })] },
  })
  expect(answer.status).toBe(status)
  expect(answer.json.successes).toBe(undefined)
  expect(api.broken.length > 0).toBe(status === 500)
})

test('a single route produces one event with an id, and a trace if none is named', async () => {
  await using api = await startApi({ env: legacy })
  const sent = async (method: string, path: string, body: unknown) => {
    const answer = await api.send(method, `/api/public${path}`, { body })
    expect([path, answer.status, typeof answer.json.id]).toEqual([path, 200, 'string'])
    return answer.json.id as string
  }
  const trace = await sent('POST', '/traces', { name: 'a trace' })
  const span = await sent('POST', '/spans', { traceId: trace, name: 'a span' })
  expect(await sent('PATCH', '/spans', { spanId: span, endTime: at })).toBe(span)
  const generation = await sent('POST', '/generations', { prompt: 'p', completion: 'c', usage: { promptTokens: 1 } })
  expect(await sent('PATCH', '/generations', { generationId: generation, completion: 'd' })).toBe(generation)
  expect(await sent('POST', '/events', { id: 'ev', traceId: trace })).toBe('ev')
  const events = await api.events()
  const of = (type: string) => events.filter(({ eventType }) => eventType === type)
  expect(of('trace-create').map(({ entityId }) => entityId)).toContain(trace)
  expect(of('span-update').map(({ json }) => json)).toEqual([{ id: span, endTime: at }])
  const [made] = of('generation-create')
  expect(made!.json).toMatchObject({ input: 'p', output: 'c', usage: { promptTokens: 1 } })
  expect(of('trace-create').map(({ entityId }) => entityId)).toContain(made!.json['traceId'])
  expect(of('generation-update')[0]!.json).toEqual({ id: generation, output: 'd' })
  const bad = await api.send('PATCH', '/api/public/spans', { body: { endTime: 'x' } })
  expect(bad.status).toBe(400)
  expect(bad.json.error.map(({ path }: { path: string[] }) => path.join('.')).sort()).toEqual(['endTime', 'spanId'])
  expect((await api.send('POST', '/api/public/spans', { body: { startTime: '1971-01-01T00:00:00Z' } })).status).toBe(400)
  expect(await api.events()).toHaveLength(events.length)
})

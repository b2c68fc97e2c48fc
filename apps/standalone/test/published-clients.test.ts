// The published JS SDK v5 writes to an instance through a brand alias, and reads its data back. The SDK is unchanged. On `events_only`,
// the SDK reads with observations v2, metrics v2 and scores v3. On `dual`, the SDK reads with the legacy operations.
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { publicKey, secretKey } from './instance.ts'
import {
  brandOfPublished,
  type Client,
  PublishedProcessor,
  propagateAttributes,
  publishedClient,
  setPublishedProvider,
  startObservation,
} from './published.ts'
import { fileHasAnInstance, ports, start } from './restarted.ts'

fileHasAnInstance()
beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())

const settings = { SVC_BRAND_ALIASES: brandOfPublished, SVC_PROPAGATION_WINDOW_SECONDS: '2', SVC_PROPAGATION_GRACE_MS: '500' }
const readable = { timeout: 120_000, interval: 500 }
const range = () => ({
  fromTimestamp: new Date(Date.now() - 3_600_000).toISOString(),
  toTimestamp: new Date(Date.now() + 3_600_000).toISOString(),
})

async function written(
  api: Client,
  baseUrl: string,
): Promise<{ readonly traceId: string; readonly rootId: string; readonly chatId: string }> {
  const processor = new PublishedProcessor({ publicKey, secretKey, baseUrl, environment: 'staging' })
  setPublishedProvider(new BasicTracerProvider({ spanProcessors: [processor as never] }))
  const made = await propagateAttributes({ userId: 'ada', sessionId: 's-1', tags: ['red'], traceName: 'order' }, () => {
    const root = startObservation('order', { input: { q: 'How?' }, output: 'So.', metadata: { plan: 'pro' } })
    const usage = { model: 'a-model', usageDetails: { input: 3, output: 4, total: 7 }, costDetails: { input: 0.5, total: 0.5 } }
    const chat = root.startObservation('chat', { ...usage, level: 'ERROR', statusMessage: 'failed' }, { asType: 'generation' })
    chat.end()
    root.end()
    return { traceId: root.traceId, rootId: root.id, chatId: chat.id }
  })
  await processor.shutdown()
  setPublishedProvider(null)
  const score = { name: 'quality', value: 0.5, dataType: 'NUMERIC', traceId: made.traceId, observationId: made.chatId, comment: 'fair' }
  await api['scores'].create(score)
  return made
}

test('on events_only, its data is readable with observations v2, metrics v2 and scores v3', async () => {
  const instance = await start({ writeMode: 'events_only', behaviour: 'direct', optIn: 'true' }, settings)
  const baseUrl = `http://127.0.0.1:${ports.PORT}`
  const api = publishedClient(baseUrl, publicKey, secretKey)
  const { traceId, rootId, chatId } = await written(api, baseUrl)
  const fields = 'core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context'
  await vi.waitFor(async () => {
    const { data } = await api['observations'].getMany({ traceId, fields })
    expect(data).toHaveLength(2)
  }, readable)
  const { data } = await api['observations'].getMany({ traceId, fields })
  const shared = { traceId, userId: 'ada', sessionId: 's-1', environment: 'staging', traceName: 'order', tags: ['red'] }
  const root = { ...shared, id: rootId, type: 'SPAN', name: 'order', parentObservationId: null, isRootObservation: true }
  const chat = {
    ...shared,
    id: chatId,
    type: 'GENERATION',
    name: 'chat',
    parentObservationId: rootId,
    level: 'ERROR',
    statusMessage: 'failed',
  }
  expect(data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...root, input: '{"q":"How?"}', output: 'So.', metadata: expect.objectContaining({ plan: 'pro' }) }),
      expect.objectContaining({ ...chat, providedModelName: 'a-model', usageDetails: { input: 3, output: 4, total: 7 }, totalCost: 0.5 }),
    ]),
  )
  const filter = JSON.stringify([{ type: 'string', column: 'statusMessage', operator: 'contains', value: 'fail' }])
  expect((await api['observations'].getMany({ filter, fromStartTime: range().fromTimestamp })).data).toMatchObject([{ id: chatId }])
  const pages = await api['observations'].getMany({ limit: 1, isRootObservation: true })
  expect(pages.data).toMatchObject([{ id: rootId }])

  const query = JSON.stringify({
    ...{ view: 'observations', metrics: [{ measure: 'totalCost', aggregation: 'sum' }], dimensions: [{ field: 'providedModelName' }] },
    ...{ filters: [], ...range() },
  })
  expect((await api['metrics'].metrics({ query })).data).toEqual(
    expect.arrayContaining([{ providedModelName: 'a-model', sum_totalCost: 0.5 }]),
  )
  await vi.waitFor(async () => {
    const scores = await api['scoresV3'].getManyV3({ traceId, fields: 'core,details,subject' })
    expect(scores.data).toMatchObject([{ name: 'quality', value: 0.5, comment: 'fair', subject: { kind: 'observation', id: chatId } }])
  }, readable)
  await expect(api['trace'].get(traceId)).rejects.toMatchObject({ statusCode: 404 })
  expect(await instance.end('SIGTERM')).toBe(0)
}, 400_000)

test('on dual, its data is readable with the legacy operations', async () => {
  const instance = await start({ writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' }, settings)
  const baseUrl = `http://127.0.0.1:${ports.PORT}`
  const api = publishedClient(baseUrl, publicKey, secretKey)
  const { traceId, rootId, chatId } = await written(api, baseUrl)
  await vi.waitFor(async () => {
    const { observations, scores } = await api['trace'].get(traceId)
    expect([observations.length, scores.length]).toEqual([2, 1])
  }, readable)
  const trace = { id: traceId, name: 'order', userId: 'ada', sessionId: 's-1', tags: ['red'], environment: 'staging', totalCost: 0.5 }
  expect(await api['trace'].get(traceId)).toMatchObject({ ...trace, input: { q: 'How?' }, output: 'So.' })
  expect((await api['trace'].list({ userId: 'ada', tags: ['red'], limit: 5 })).data).toEqual(
    expect.arrayContaining([expect.objectContaining({ ...trace, observations: expect.arrayContaining([rootId, chatId]) })]),
  )
  const { observationsV1, metricsV1 } = api['legacy'] as Client
  const chat = {
    id: chatId,
    traceId,
    type: 'GENERATION',
    model: 'a-model',
    usage: { input: 3, output: 4, total: 7 },
    parentObservationId: rootId,
  }
  expect(await observationsV1.get(chatId)).toMatchObject({ ...chat, level: 'ERROR', calculatedTotalCost: 0.5 })
  expect((await observationsV1.getMany({ traceId, type: 'GENERATION' })).data).toMatchObject([chat])
  expect((await api['sessions'].list({ limit: 10 })).data).toEqual(expect.arrayContaining([expect.objectContaining({ id: 's-1' })]))
  expect((await api['sessions'].get('s-1')).traces.map(({ id }: Client) => id)).toContain(traceId)
  expect((await api['scores'].getMany({ traceId })).data).toMatchObject([{ name: 'quality', value: 0.5, observationId: chatId }])
  const query = JSON.stringify({
    ...{ view: 'traces', metrics: [{ measure: 'count', aggregation: 'count' }], dimensions: [{ field: 'name' }], filters: [], ...range() },
  })
  expect((await metricsV1.metrics({ query })).data).toEqual([{ name: 'order', count_count: 1 }])
  const headers = { authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}` }
  const daily = (await (await fetch(`${baseUrl}/api/public/metrics/daily`, { headers })).json()) as Client
  expect(daily['data']).toMatchObject([{ countTraces: 1, countObservations: 2, totalCost: 0.5 }])
  expect((await api['observations'].getMany({ traceId })).data).toHaveLength(2)
  expect(await instance.end('SIGTERM')).toBe(0)
}, 400_000)

// Writes to a running instance with svc's SDK, as an application does, and reads the data back.
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { SvcBrowserClient } from '@svc/browser'
import { SvcClient, SvcMedia, SvcMediaReference } from '@svc/client'
import { SvcSpanProcessor } from '@svc/otel'
import { setSvcTracerProvider, startObservation } from '@svc/tracing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { publicKey, secretKey } from './instance.ts'
import { fileHasAnInstance, ports, start } from './restarted.ts'

fileHasAnInstance()

let client: SvcClient
let processor: SvcSpanProcessor
beforeAll(async () => {
  await start({ writeMode: 'events_only', behaviour: 'direct', optIn: 'true' })
  const keys = { publicKey, secretKey, baseUrl: `http://127.0.0.1:${ports.PORT}` }
  client = new SvcClient(keys)
  processor = new SvcSpanProcessor(keys)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  setSvcTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
}, 200_000)
afterAll(async () => {
  setSvcTracerProvider(null)
  context.disable()
  await processor?.shutdown()
})

const readable = { timeout: 90_000, interval: 200 }

test('an experiment on a dataset is stored with its items, spans and scores', async () => {
  await client.api.datasets.create({ name: 'questions/easy', metadata: { level: 1 } })
  await client.dataset.createItem({ datasetName: 'questions/easy', id: 'q1', input: { q: '1+1' }, expectedOutput: '2' })
  await client.dataset.createItem({ datasetName: 'questions/easy', id: 'q2', input: { q: '2+2' }, expectedOutput: '4' })
  const dataset = await client.dataset.get('questions/easy', { fetchItemsPageSize: 1 })
  expect(dataset.items.map(({ id }) => id).sort()).toEqual(['q1', 'q2'])

  const fromStartTime = new Date(Date.now() - 60_000).toISOString()
  const result = await dataset.runExperiment({
    name: 'sums',
    description: 'Adds numbers',
    metadata: { model: 'm', seats: 3 },
    async task({ input }) {
      startObservation('think', { model: 'm', usageDetails: { input: 3 } }, { asType: 'generation' }).end()
      return String(2 * Number(input.q[0]))
    },
    evaluators: [({ output, expectedOutput }) => ({ name: 'right', value: output === expectedOutput ? 1 : 0 })],
    runEvaluators: [({ itemResults }) => ({ name: 'items', value: itemResults.length })],
  })
  await processor.forceFlush()
  expect(result.itemResults.map(({ evaluations }) => evaluations[0]!.value)).toEqual([1, 1])
  expect(result.experimentUrl).toContain(`/project/${await client.getProjectId()}/experiments/results?baseline=${result.experimentId}`)

  await vi.waitFor(async () => {
    const { data } = await client.api.experiments.list({ fromStartTime, fields: 'core,metadata,scores' })
    expect(data).toMatchObject([
      { id: result.experimentId, name: result.runName, itemCount: 2, datasetId: dataset.id, description: 'Adds numbers' },
    ])
    expect(data[0]!.scores).toMatchObject([{ name: 'items', value: 2 }])
  }, readable)
  const traceIds = result.itemResults.map(({ traceId }) => traceId!)
  await vi.waitFor(async () => {
    const { data, meta } = await client.api.experiments.listItems({
      fromStartTime,
      datasetId: dataset.id,
      fields: 'core,dataset,io,scores',
    })
    expect(meta.cursor ?? null).toBeNull()
    expect(data.map(({ traceId }) => traceId).sort()).toEqual(traceIds.toSorted())
    const first = data.find(({ experimentItemId }) => experimentItemId === 'q1')!
    expect(first).toMatchObject({ environment: 'sdk-experiment', expectedOutput: '2', scores: [{ name: 'right', value: 1 }] })
  }, readable)

  const spans = await client.api.observations.getMany({ traceId: traceIds[0]!, fields: 'core,basic,model,usage' })
  expect(spans.data.map(({ name, type }) => [name, type]).sort()).toEqual([
    ['experiment-item-run', 'SPAN'],
    ['think', 'GENERATION'],
  ])
  const run = await client.api.scores.getMany({ experimentId: result.experimentId, fields: 'subject' })
  expect(run.data).toMatchObject([{ name: 'items', subject: { kind: 'experiment', id: result.experimentId } }])

  await client.api.trace.deleteMultiple({ traceIds })
  await vi.waitFor(async () => {
    expect((await client.api.observations.getMany({ traceId: traceIds[0]! })).data).toEqual([])
  }, readable)
}, 300_000)

test('scores of the client and of a browser are read back, and a refused score is reported', async () => {
  const traceId = 'f'.repeat(32)
  const browser = new SvcBrowserClient({ publicKey, baseUrl: `http://127.0.0.1:${ports.PORT}` })
  const error = vi.spyOn(console, 'error').mockReturnValue()
  client.score.create({ id: 'own-score', name: 'kind', value: 'good', dataType: 'CATEGORICAL', traceId })
  client.score.create({ name: 'refused', value: 2, dataType: 'BOOLEAN', traceId })
  await client.flush()
  expect(error.mock.calls.map(([line]) => line)).toEqual([expect.stringContaining('1 of 2')])
  const { id } = await browser.score({ name: 'liked', value: 1, dataType: 'BOOLEAN', traceId })
  await expect(browser.score({ name: 'refused', value: 2, dataType: 'BOOLEAN', traceId })).rejects.toMatchObject({
    name: 'SvcBrowserError',
    status: 207,
  })
  await vi.waitFor(async () => {
    const { data } = await client.api.scores.getMany({ traceId })
    expect(data.map(score => [score.id, score.value]).sort()).toEqual(
      [
        [id, true],
        ['own-score', 'good'],
      ].sort(),
    )
  }, readable)
  await client.api.scores.delete('own-score')
  await vi.waitFor(async () => {
    expect((await client.api.scores.getMany({ id: 'own-score' })).data).toEqual([])
  }, readable)
  await expect(client.api.datasets.get('none', {}, { maxRetries: 0 })).rejects.toMatchObject({ name: 'NotFoundError', statusCode: 404 })
}, 300_000)

test('media of spans and of dataset items are read back as the same bytes', async () => {
  const bytes = new Uint8Array(Array.from({ length: 5_000 }, (_, at) => at % 251))
  const dataUri = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
  const traceId = startAndEnd({ input: { image: dataUri, again: dataUri }, output: `see ${dataUri}` })
  await processor.forceFlush()
  await vi.waitFor(async () => {
    const { data } = await client.api.observations.getMany({ traceId, fields: 'core,io' })
    expect(data).toHaveLength(1)
    expect(data[0]!.input).not.toContain('base64,')
    expect(data[0]!.input).toContain('@@@svcMedia:type=image/png|id=')
    const resolved = await client.media.resolveReferences({
      obj: { input: data[0]!.input, output: data[0]!.output },
      resolveWith: 'base64DataUri',
    })
    expect(resolved).toEqual({ input: JSON.stringify({ image: dataUri, again: dataUri }), output: `see ${dataUri}` })
  }, readable)

  await client.api.datasets.create({ name: 'pictures' })
  const media = new SvcMedia({ source: 'bytes', contentBytes: bytes.map(byte => 255 - byte), contentType: 'image/webp' })
  await client.dataset.createItem({ datasetName: 'pictures', id: 'picture', input: { pictures: [media] }, expectedOutput: 'a picture' })
  const dataset = await client.dataset.get('pictures')
  const [reference] = (dataset.items[0]!.input as { readonly pictures: readonly [SvcMediaReference] }).pictures
  expect(reference).toBeInstanceOf(SvcMediaReference)
  expect([reference.contentType, reference.isUrlExpired(), await reference.fetchBytes()]).toEqual([
    'image/webp',
    false,
    media._contentBytes,
  ])
  expect(JSON.parse(JSON.stringify(dataset.items[0]!.input))).toEqual({ pictures: [await media.getTag()] })

  const { mediaId } = reference
  await client.api.datasetItems.delete('picture')
  await vi.waitFor(() => expect(client.api.media.get(mediaId, {}, { maxRetries: 0 })).rejects.toMatchObject({ statusCode: 404 }), readable)
}, 300_000)

function startAndEnd(attributes: { readonly input: unknown; readonly output: unknown }): string {
  const span = startObservation('draw', attributes, { asType: 'generation' })
  span.end()
  return span.traceId
}

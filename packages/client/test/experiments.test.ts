import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AlwaysOffSampler, BasicTracerProvider, InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { type CreateScoreRequest, configureGlobalLogger, createStableExperimentId, LogLevel } from '@svc/core'
import { SvcSpanProcessor } from '@svc/otel'
import { setSvcTracerProvider, startObservation } from '@svc/tracing'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createEvaluatorFromAutoevals, RegressionError, RunnerContext, SvcClient } from '../src/index.ts'
import { startService } from './server.ts'

const exporter = new InMemorySpanExporter()
const error = vi.spyOn(console, 'error')
const warn = vi.spyOn(console, 'warn')

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => {
  setSvcTracerProvider(null)
  context.disable()
})
let provider: BasicTracerProvider
function recordWith(sampler?: AlwaysOffSampler): void {
  const spanProcessors = [new SvcSpanProcessor({ exporter, exportMode: 'immediate' })]
  provider = new BasicTracerProvider({ spanProcessors, ...(sampler && { sampler }) })
  setSvcTracerProvider(provider)
}
beforeEach(() => {
  configureGlobalLogger({ level: LogLevel.WARN })
  error.mockReset().mockReturnValue()
  warn.mockReset().mockReturnValue()
  exporter.reset()
  recordWith()
})

const projectId = '7a88fb47-b4e2-43b8-a06c-a5ce950dc53a'
const datasetId = 'cm9x1dataset0000000000001'

async function serving({ hasProject = true }: { hasProject?: boolean } = {}) {
  const service = await startService(({ call }) => {
    if (call === 'GET /api/public/projects') return hasProject ? { json: { data: [{ id: projectId }] } } : { status: 403, json: {} }
    return call === 'POST /api/public/scores' ? { status: 202, json: { message: 'Accepted' } } : { status: 404, json: {} }
  })
  const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url })
  const scores = () => service.of('POST /api/public/scores').flatMap(({ body }) => body as CreateScoreRequest[])
  return { service, client, scores }
}

async function spans(): Promise<ReadableSpan[]> {
  await provider.forceFlush()
  return exporter.getFinishedSpans()
}
/** Returns the root spans, sorted by the text of their input. Items end in any order, so the order of the spans is not fixed. */
async function roots(): Promise<ReadableSpan[]> {
  const inputOf = ({ attributes }: ReadableSpan) => String(attributes['svc.observation.input'])
  const of = (await spans()).filter(({ name }) => name === 'experiment-item-run')
  return of.sort((a, b) => (inputOf(a) < inputOf(b) ? -1 : 1))
}

const ofDataset = (id: string, of = datasetId) => ({
  ...{ id, datasetId: of, datasetName: 'd', input: { q: id }, expectedOutput: `e${id}`, metadata: { m: id }, status: 'ACTIVE' as const },
  ...{ sourceTraceId: null, sourceObservationId: null, createdAt: '', updatedAt: '', mediaReferences: [] },
})
const answer = async ({ input }: { input?: unknown }) => ({ answered: input })

describe('a run on a dataset', () => {
  test('records each item in a separate span, under a stable experiment', async () => {
    const { service, client, scores } = await serving()
    const result = await client.experiment.run({
      ...{ name: 'exp', runName: 'my-run', description: 'why', metadata: { model: 'x' }, datasetVersion: '2026-01-01T00:00:00.000Z' },
      data: [ofDataset('1'), ofDataset('2')],
      async task(item) {
        startObservation('inner').end()
        return answer(item)
      },
      evaluators: [
        async ({ output, expectedOutput }) => [
          { name: 'good', value: output && expectedOutput === 'e1' ? 1 : 0, comment: 'c' },
          { name: 'kind', value: 'x', dataType: 'CATEGORICAL' },
        ],
      ],
      runEvaluators: [({ itemResults }) => ({ name: 'count', value: itemResults.length })],
    })
    expect(result).toMatchObject({ experimentId: '39b18b1d11ecd986', datasetRunId: '39b18b1d11ecd986', runName: 'my-run' })
    const url = `${service.url}/project/${projectId}/experiments/results?baseline=39b18b1d11ecd986`
    expect([result.experimentUrl, result.datasetRunUrl, await client.getExperimentUrl(result.experimentId)]).toEqual([url, url, url])
    expect(service.received.map(({ call }) => call)).toEqual(['GET /api/public/projects', 'POST /api/public/scores'])

    const [first, second] = await roots()
    expect(first!.spanContext().traceId).not.toBe(second!.spanContext().traceId)
    const shared = {
      'svc.environment': 'sdk-experiment',
      'svc.experiment.id': '39b18b1d11ecd986',
      'svc.experiment.name': 'my-run',
      'svc.experiment.metadata': '{"model":"x"}',
      'svc.experiment.dataset.id': datasetId,
      'svc.experiment.item.id': '1',
      'svc.experiment.item.metadata': '{"m":"1"}',
      'svc.experiment.item.root_observation_id': first!.spanContext().spanId,
    }
    expect(first!.attributes).toMatchObject({
      ...shared,
      'svc.experiment.description': 'why',
      'svc.experiment.item.expected_output': 'e1',
      'svc.experiment.item.version': '2026-01-01T00:00:00.000Z',
      'svc.observation.type': 'span',
      'svc.observation.input': '{"q":"1"}',
      'svc.observation.output': '{"answered":{"q":"1"}}',
      'svc.observation.metadata.experiment_name': '"exp"',
      'svc.observation.metadata.experiment_run_name': '"my-run"',
      'svc.observation.metadata.dataset_id': `"${datasetId}"`,
      'svc.observation.metadata.dataset_item_id': '"1"',
      'svc.observation.metadata.m': '"1"',
      'svc.observation.metadata.model': '"x"',
    })
    const inner = (await spans()).find(({ name, attributes }) => name === 'inner' && attributes['svc.experiment.item.id'] === '1')!
    expect(inner.attributes).toMatchObject(shared)
    for (const key of ['description', 'item.expected_output', 'item.version'])
      expect(inner.attributes).not.toHaveProperty(`svc.experiment.${key}`)

    const ids = { traceId: first!.spanContext().traceId, observationId: first!.spanContext().spanId }
    expect(scores().filter(({ traceId }) => traceId === ids.traceId)).toMatchObject([
      { ...ids, name: 'good', value: 1, comment: 'c' },
      { ...ids, name: 'kind', value: 'x', dataType: 'CATEGORICAL' },
    ])
    expect(scores().filter(({ datasetRunId }) => datasetRunId)).toMatchObject([
      { name: 'count', value: 2, datasetRunId: '39b18b1d11ecd986' },
    ])
    expect(result.itemResults.map(({ item, datasetRunId, traceId }) => [item.input, datasetRunId, traceId?.length])).toEqual(
      ['1', '2'].map(q => [{ q }, '39b18b1d11ecd986', 32]),
    )
  })

  test('over several datasets has an experiment for each, and the result shows the first', async () => {
    const { client } = await serving()
    const result = await client.experiment.run({ name: 'e', runName: 'r', data: [ofDataset('1', 'A'), ofDataset('2', 'B')], task: answer })
    const ids = await Promise.all(['A', 'B'].map(of => createStableExperimentId({ projectId, datasetId: of, runName: 'r' })))
    expect(result.experimentId).toBe(ids[0])
    expect(result.itemResults.map(({ datasetRunId }) => datasetRunId)).toEqual(ids)
    expect((await roots()).map(({ attributes }) => attributes['svc.experiment.id']).sort()).toEqual(ids.toSorted())
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('has a random id and no link when the project is unknown', async () => {
    const { client } = await serving({ hasProject: false })
    const result = await client.experiment.run({ name: 'e', data: [ofDataset('1')], task: answer })
    expect(result).toMatchObject({ experimentId: expect.stringMatching(/^[0-9a-f]{16}$/), datasetRunId: result.experimentId })
    expect([result.experimentUrl, result.datasetRunUrl]).toEqual([undefined, undefined])
    expect(warn).toHaveBeenCalledTimes(1)
  })
})

describe('a run on local data', () => {
  test('has a random id and a link, and sends its run evaluations', async () => {
    const { client, scores } = await serving()
    const data = [{ input: 'a', expectedOutput: 'A' }, { input: 'a' }, { input: { deep: 1 } }]
    const result = await client.experiment.run({ name: 'e', data, task: answer, runEvaluators: [async () => [{ name: 'all', value: 1 }]] })
    expect(result.experimentId).toMatch(/^[0-9a-f]{16}$/)
    expect(result.experimentUrl).toContain(`baseline=${result.experimentId}`)
    expect([result.datasetRunId, result.datasetRunUrl, result.itemResults[0]!.datasetRunId]).toEqual([undefined, undefined, undefined])
    expect(result.runName).toMatch(/^e - \d{4}-/)
    expect(scores()).toMatchObject([{ name: 'all', value: 1, datasetRunId: result.experimentId }])
    const items = (await roots()).map(({ attributes }) => attributes['svc.experiment.item.id'])
    expect(items[0]).toBe(items[1])
    expect(new Set(items).size).toBe(2)
    for (const { attributes } of await roots()) expect(attributes).not.toHaveProperty('svc.experiment.dataset.id')
  })

  test('records metadata without keys unchanged, and keys of the run before all others', async () => {
    const { client } = await serving()
    const data = [
      { ...ofDataset('1'), metadata: 'note' },
      { input: 2, metadata: { experiment_name: 'own', a: 1 } },
    ]
    await client.experiment.run({ name: 'e', data, task: answer })
    const [second, first] = (await roots()).map(({ attributes }) =>
      Object.entries(attributes).filter(([key]) => key.startsWith('svc.observation.metadata.')),
    )
    expect(first!.map(([key]) => key.slice('svc.observation.metadata.'.length))).toEqual([
      ...['experiment_name', 'experiment_run_name', 'dataset_id', 'dataset_item_id'],
    ])
    expect(second!.map(([, value]) => value)).toEqual(['"e"', expect.stringContaining('"e - '), '1'])
    expect((await roots())[1]!.attributes['svc.experiment.item.metadata']).toBe('note')
  })

  test('leaves out items that fail, and evaluators that fail', async () => {
    const { client } = await serving()
    const result = await client.experiment.run({
      name: 'e',
      data: [{ input: 1 }, { input: 2 }, {}, { input: 3 }],
      async task({ input }) {
        if (input === 2) throw new Error('broken')
        return input
      },
      evaluators: [
        () => {
          throw new Error('sync')
        },
        async () => Promise.reject(new Error('async')),
        ({ input }) => ({ name: 'plain', value: input }),
      ],
      runEvaluators: [async () => Promise.reject(new Error('run'))],
    })
    expect(result.itemResults.map(({ output, evaluations }) => [output, evaluations])).toEqual([
      [1, [{ name: 'plain', value: 1 }]],
      [3, [{ name: 'plain', value: 3 }]],
    ])
    expect(result.runEvaluations).toEqual([])
    expect((await roots()).map(({ status }) => status.code).sort()).toEqual([0, 0, 2, 2])
    expect(error).toHaveBeenCalledTimes(2 + 4 + 1)
  })

  test('treats an evaluator that returns nothing as one without an evaluation', async () => {
    const { client, scores } = await serving()
    const nothing = (() => undefined) as unknown as () => never
    const list = (() => [null, { name: 'a', value: 1 }]) as unknown as () => never
    const evaluated = { evaluators: [nothing, list], runEvaluators: [nothing] }
    const result = await client.experiment.run({ name: 'e', data: [{ input: 1 }], task: answer, ...evaluated })
    expect(result.itemResults[0]!.evaluations).toEqual([{ name: 'a', value: 1 }])
    expect(result.runEvaluations).toEqual([])
    expect(await result.format({ includeItemResults: true })).toContain('a: 1.000')
    expect(scores().map(({ name }) => name)).toEqual(['a'])
    expect(error).not.toHaveBeenCalled()
  })

  test('sends evaluations of the run even when every task failed', async () => {
    const { client, scores } = await serving()
    const task = async () => Promise.reject(new Error('broken'))
    const runEvaluators = [({ itemResults }: { itemResults: unknown[] }) => ({ name: 'count', value: itemResults.length })]
    const { experimentId } = await client.experiment.run({ name: 'e', data: [{ input: 1 }], task, runEvaluators })
    expect(scores()).toMatchObject([{ name: 'count', value: 0, datasetRunId: experimentId }])
  })

  test.each([0, -1, Number.NaN, 0.5, Number.POSITIVE_INFINITY])('runs all items where %d may run at a time', async maxConcurrency => {
    const { client } = await serving()
    const result = await client.experiment.run({ name: 'e', data: [{ input: 1 }, { input: 2 }], maxConcurrency, task: answer })
    expect(result.itemResults).toHaveLength(2)
  })

  test('runs at most the given number of items at a time, and refills', async () => {
    const { client } = await serving()
    let [running, most] = [0, 0]
    const data = Array.from({ length: 20 }, (_, input) => ({ input }))
    const result = await client.experiment.run({
      ...{ name: 'e', data, maxConcurrency: 3 },
      async task({ input }) {
        most = Math.max(most, ++running)
        await new Promise(resolve => setImmediate(resolve))
        running--
        return input
      },
    })
    expect(most).toBe(3)
    expect(result.itemResults.map(({ output }) => output)).toEqual(data.map(({ input }) => input))
  })
})

test('an unsampled run sends no evaluations of the run', async () => {
  recordWith(new AlwaysOffSampler())
  const { client, scores } = await serving()
  await client.experiment.run({ name: 'e', data: [{ input: 1 }], task: answer, runEvaluators: [() => ({ name: 'all', value: 1 })] })
  expect(scores()).toEqual([])
})

test('without a tracer provider, a run sends no look-ups and warns', async () => {
  setSvcTracerProvider(null)
  trace.disable()
  const { service, client } = await serving()
  const result = await client.experiment.run({
    ...{ name: 'e', data: [{ input: 1 }], task: answer },
    evaluators: [() => ({ name: 'a', value: 1 })],
  })
  expect(result.itemResults).toMatchObject([{ output: { answered: 1 }, evaluations: [{ name: 'a' }] }])
  expect(result.itemResults[0]!.traceId).toBeUndefined()
  expect(result.experimentUrl).toBeUndefined()
  expect(service.received).toEqual([])
  expect(warn).toHaveBeenCalledTimes(1)
})

test('format shows the items of the result, averages, evaluations and the link', async () => {
  const { client, service } = await serving()
  const result = await client.experiment.run({
    ...{ name: 'exp', runName: 'run', description: 'why' },
    data: [ofDataset('1'), { input: undefined }, ofDataset('2')],
    task: async ({ input }) => (input as { q: string }).q.repeat(60),
    evaluators: [({ input }) => ({ name: 'good', value: Number(input.q), comment: 'hm' })],
    runEvaluators: [() => ({ name: 'all', value: 0.5, comment: 'ok' })],
  })
  const text = await result.format({ includeItemResults: true })
  for (const part of [
    '1. Item 1:\n   Input:    {"q":"1"}\n   Expected: e1\n',
    `   Actual:   ${'2'.repeat(47)}...\n   Scores:\n     • good: 2.000\n       💭 hm`,
    `${service.url}/project/${projectId}/datasets/${datasetId}/items/2`,
    `${service.url}/project/${projectId}/traces/${result.itemResults[0]!.traceId}`,
    `${'─'.repeat(50)}\n🧪 Experiment: exp\n📋 Run name: run - why\n2 items`,
    'Evaluations:\n  • good\n\nAverage Scores:\n  • good: 1.500\n\nRun Evaluations:\n  • all: 0.500\n    💭 ok',
    `🔗 Experiment:\n   ${result.experimentUrl}`,
  ]) {
    expect(text).toContain(part)
  }
  expect(await result.format()).toMatch(/^Individual Results: Hidden \(2 items\)\n/)
  const empty = await client.experiment.run({ name: 'e', data: [], task: answer })
  expect(await empty.format()).toMatch(/^No experiment results/)
})

test('the context of a runner provides data, version and metadata, and parameters win', async () => {
  const { client } = await serving()
  const context = new RunnerContext({ client, data: [{ input: 'a' }], metadata: { a: 1, b: 1 } })
  await context.runExperiment({ name: 'e', task: answer, metadata: { b: 2 } })
  const result = await context.runExperiment({ name: 'e', task: answer, data: [{ input: 'b' }, { input: 'c' }] })
  expect(result.itemResults.map(({ output }) => output)).toEqual([{ answered: 'b' }, { answered: 'c' }])
  expect((await roots())[0]!.attributes['svc.experiment.metadata']).toBe('{"a":1,"b":2}')
  await expect(new RunnerContext({ client }).runExperiment({ name: 'e', task: answer })).rejects.toThrow('no data')
})

test('an evaluator of autoevals', async () => {
  const evaluator = createEvaluatorFromAutoevals(async params => ({ name: 'Exact', score: null, metadata: params }), { model: 'm' })
  expect(await evaluator({ input: 1, output: 2, expectedOutput: 3 })).toEqual({
    ...{ name: 'Exact', value: 0, metadata: { model: 'm', input: 1, output: 2, expected: 3 } },
  })
})

test('a regression error names the metric that is too low', () => {
  const result = { runName: 'r' } as never
  expect(new RegressionError({ result })).toMatchObject({ name: 'RegressionError', result, message: expect.stringContaining('regression') })
  const error = new RegressionError({ result, metric: 'good', value: 0.5, threshold: 0.9 })
  expect(error).toMatchObject({ metric: 'good', value: 0.5, threshold: 0.9 })
  expect(error.message).toMatch(/good is 0.5.*0.9/)
  expect(new RegressionError({ result, message: 'own' }).message).toBe('own')
})

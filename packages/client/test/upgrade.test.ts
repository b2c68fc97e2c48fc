// The changes of an upgrade from v5, in the order of contract §9.2. The compiler checks this whole file. The test runs only the parts that
// need no server.

import type * as core from '@svc/core'
import type {
  CreateScoreBatchResponse,
  CreateScoreBatchResults,
  CreateScoreRequest,
  CreateScoresResponse,
  DatasetItem,
  GetScoresV3Request,
  GetScoresV3Response,
  RequestOptions,
  SvcAPIClient,
} from '@svc/core'
import { describe, expect, expectTypeOf, test } from 'vitest'
// @ts-expect-error: item.link() and its type have been removed.
import type { LinkDatasetItemFunction } from '../src/index.ts'
import { type ExperimentResult, type FetchedDataset, SvcClient } from '../src/index.ts'

declare const client: SvcClient
declare const api: SvcAPIClient
declare const dataset: FetchedDataset
declare const options: RequestOptions

/** The compiler checks the given function, but the test never calls the function. */
const compiled = (_: () => unknown) => expect(typeof _).toBe('function')

describe('1. the empty request object of the 41 methods', () => {
  test('stands before the options, which do not compile in its place', () =>
    compiled(() => {
      api.datasets.get('d', {}, { timeoutInSeconds: 5, maxRetries: 0 })
      api.health.health({}, options)
      api.projects.deleteApiKey('p', 'k', {}, options)
      api.unstable.skills.deleteVersion('s', 1, {}, options)
      api.evaluators.get('e')
      // @ts-expect-error: in v6, the options follow the request
      api.datasets.get('d', { timeoutInSeconds: 5 })
      // @ts-expect-error: in v6, the options follow the request
      api.health.health(options)
      // @ts-expect-error: in v6, the options follow the request
      api.projects.deleteApiKey('p', 'k', options)
      // @ts-expect-error: in v6, the options follow the request
      api.scores.delete('s', { maxRetries: 1 })
      // @ts-expect-error: in v6, the options follow the request
      api.unstable.dashboards.deletePlacement('d', 'p', options)
    }))

  test('other methods keep their signatures', () =>
    compiled(() => {
      api.datasets.list({ page: 1 }, options)
      api.prompts.get('p', { label: 'l' }, options)
      api.promptVersion.update('p', 1, { newLabels: [] }, options)
      api.trace.deleteMultiple({ traceIds: [] }, options)
      api.projects.createApiKey('p', {}, options)
      // @ts-expect-error: a required parameter is missing
      api.experiments.list({ datasetId: 'd' })
    }))
})

describe('2. scores', () => {
  test('are created as a list, without ids in the response', () =>
    compiled(async () => {
      const response = await api.scores.create([{ name: 'a', value: 1, traceId: 't' }])
      expectTypeOf(response).toEqualTypeOf<CreateScoresResponse>()
      expectTypeOf<CreateScoresResponse>().toEqualTypeOf<CreateScoreBatchResponse | CreateScoreBatchResults>()
      if ('rejected' in response) expectTypeOf(response.errors[0]!.message).toEqualTypeOf<string>()
      // @ts-expect-error: v6 takes a list of scores
      api.scores.create({ name: 'a', value: 1 })
      // @ts-expect-error: the response has no id
      response.id
      expectTypeOf(api.scores.delete('s')).resolves.toEqualTypeOf<void>()
    }))

  test('are read by v3 under the names of v5', () =>
    compiled(() => {
      expectTypeOf(api.scores.getMany).parameter(0).toEqualTypeOf<GetScoresV3Request | undefined>()
      expectTypeOf(api.scores.getMany({ id: 'a,b', traceId: 't', fields: 'subject' })).resolves.toEqualTypeOf<GetScoresV3Response>()
      // @ts-expect-error: only v2 has this filter
      api.scores.getMany({ scoreIds: 'a' })
      // @ts-expect-error: v2
      api.scores.getById
      // @ts-expect-error: the v5 namespace
      api.scoresV3
      // @ts-expect-error: the v5 namespace
      api.legacy
      expectTypeOf<CreateScoreRequest['source']>().toEqualTypeOf<'API' | 'ANNOTATION' | undefined>()
    }))

  test('the manager is unchanged', () =>
    compiled(() => {
      client.score.create({ name: 'a', value: 1, traceId: 't', comment: 'c', metadata: { a: 1 } })
      client.score.observation({ otelSpan: undefined as never }, { name: 'a', value: 'x', dataType: 'CATEGORICAL' })
    }))
})

test('3. removed methods and namespaces', () =>
  compiled(() => {
    // @ts-expect-error: api.observations.getMany replaces it
    api.trace.get
    // @ts-expect-error: api.observations.getMany replaces it
    api.trace.list
    // @ts-expect-error: api.observations.getMany replaces it
    api.sessions
    // @ts-expect-error: api.experiments replaces it
    api.datasetRunItems
    // @ts-expect-error: api.experiments replaces it
    api.datasets.getRun
    // @ts-expect-error: api.experiments replaces it
    api.datasets.getRuns
    // @ts-expect-error: api.trace.deleteMultiple replaces it
    api.datasets.deleteRun
    // @ts-expect-error: client.prompt.get replaces it
    client.getPrompt
    // @ts-expect-error: client.dataset.get replaces it
    client.getDataset
  }))

test('4. removed types', () =>
  compiled(() => {
    // @ts-expect-error: the type was removed with its method
    type _Trace = core.TraceWithFullDetails
    // @ts-expect-error: the type was removed with its method
    type _Session = core.SessionWithTraces
    // @ts-expect-error: the type was removed with its method
    type _Observation = core.ObservationsView
    // @ts-expect-error: the type was removed with its method
    type _Run = core.DatasetRunWithItems
    // @ts-expect-error: the type was removed with its method
    type _Item = core.DatasetRunItem
    // @ts-expect-error: the type was removed with the v1 scores
    type _Score = core.ScoreV1
    // @ts-expect-error: no server accepts this event
    type _Log = core.SdkLogEvent
    type _Link = LinkDatasetItemFunction
  }))

test('5. datasets: plain items, and experiments with a link', () =>
  compiled(async () => {
    expectTypeOf(dataset.items).toEqualTypeOf<DatasetItem[]>()
    // @ts-expect-error: runExperiment replaces it
    dataset.items[0]!.link
    const result = await dataset.runExperiment({
      name: 'e',
      task: async item => item.input.question,
      evaluators: [async ({ output, expectedOutput }) => ({ name: 'same', value: output === expectedOutput ? 1 : 0 })],
    })
    expectTypeOf(result.experimentUrl).toEqualTypeOf<string | undefined>()
    const typed = await client.experiment.run({
      name: 'e',
      data: [{ input: { q: 'a' }, expectedOutput: 1 }],
      task: async ({ input }) => input?.q.length,
      evaluators: [({ input, expectedOutput }) => ({ name: input.q, value: expectedOutput ?? 0 })],
    })
    expectTypeOf(typed).toExtend<ExperimentResult<{ q: string }, number>>()
    await client.experiment.run({ name: 'e', data: dataset.items, task: async ({ input }) => input })
  }))

test('6. paged reads that replace removed ones', () =>
  compiled(async () => {
    const traceIds = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await api.experiments.listItems({
        datasetId: 'd',
        experimentName: 'e',
        fromStartTime: '2026-01-01T00:00:00Z',
        ...(cursor && { cursor }),
      })
      for (const { traceId } of page.data) traceIds.add(traceId)
      cursor = page.meta.cursor
    } while (cursor)
    await api.trace.deleteMultiple({ traceIds: [...traceIds].slice(0, 1000) })
    const { data } = await api.observations.getMany({ traceId: 't', sessionId: 's', fields: 'core,basic,io', filter: '[]' })
    expectTypeOf(data[0]!.parentObservationId).toEqualTypeOf<string | null>()
    const { rawResponse } = await api.metrics.metrics({ query: '{}' }).withRawResponse()
    expectTypeOf(rawResponse.status).toEqualTypeOf<number>()
  }))

test('7. the type of a prompt follows from its kind', () =>
  compiled(async () => {
    const text = await client.prompt.get('p', { label: 'l', fallback: 'Hi' })
    expectTypeOf(text.compile({ a: '1' })).toEqualTypeOf<string>()
    const chat = await client.prompt.get('p', { type: 'chat', fallback: [{ role: 'user', content: 'Hi' }] })
    expectTypeOf(chat.prompt[0]!.type).toEqualTypeOf<'chatmessage' | 'placeholder'>()
    await client.prompt.create({
      name: 'p',
      type: 'chat',
      prompt: [
        { role: 'user', content: 'Hi' },
        { type: 'placeholder', name: 'h' },
      ],
    })
    // @ts-expect-error: a chat prompt's fallback must be a list of messages
    await client.prompt.get('p', { type: 'chat', fallback: 'Hi' })
  }))

test('the kind of a value narrows its union type', () => {
  function numberOf(score: core.ScoreV3): number {
    return score.dataType === 'NUMERIC' ? score.value : score.dataType === 'BOOLEAN' ? Number(score.value) : score.value.length
  }
  const score = { id: 's', projectId: 'p', name: 'n', source: 'API', timestamp: '', environment: '', createdAt: '', updatedAt: '' } as const
  expect(numberOf({ ...score, dataType: 'BOOLEAN', value: true })).toBe(1)
  expect(new SvcClient({ publicKey: 'pk', secretKey: 'sk' }).api.unstable.skills).toBeDefined()
  expectTypeOf<core.unstable.DashboardPlacement['type']>().toEqualTypeOf<'widget' | 'preset'>()
})

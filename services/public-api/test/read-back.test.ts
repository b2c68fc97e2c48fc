// Every field that a write accepts reads back unchanged, from another instance of the API on the same stores. Bodies are generated from the
// operations' own schemas, so that tests cover a new field at once.
import * as queues from '@svc-server/api/annotation-queues/operations'
import * as dashboardWidgets from '@svc-server/api/dashboard-widgets/operations'
import * as dashboards from '@svc-server/api/dashboards/operations'
import * as datasetItems from '@svc-server/api/dataset-items/operations'
import * as datasets from '@svc-server/api/datasets/operations'
import * as evaluationRules from '@svc-server/api/evaluation-rules/operations'
import * as evaluators from '@svc-server/api/evaluators/operations'
import * as llmConnections from '@svc-server/api/llm-connections/operations'
import * as models from '@svc-server/api/models/operations'
import type { Operation } from '@svc-server/api/operation'
import * as prompts from '@svc-server/api/prompts/operations'
import * as scoreConfigs from '@svc-server/api/score-configs/operations'
import { createKeyStore } from '@svc-server/relational/key-store'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, startApi, type TestApi } from './api.ts'
import { takenBy } from './arbitrary.ts'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
let other: TestApi
let authorization: string
let configId: string
beforeAll(async () => {
  opened = await openResources()
  const keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  authorization = basic(publicKey, secretKey)
  other = await startApi({ relational: opened.store, keys })
  await opened.send('POST', '/v2/datasets', { name: 'of items' })
  await opened.send('PUT', '/llm-connections', { provider: 'judge', adapter: 'openai', secretKey: 'sk-12345678' })
  configId = (await opened.send('POST', '/score-configs', { name: 'of queues', dataType: 'TEXT' })).json.id
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

type Json = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>

interface Written {
  readonly operation: Operation
  readonly path?: string
  /** Fields whose values a random text would rarely match. */
  readonly with: () => Fields
  readonly readFrom: (made: Json) => string
  /** The position in the response; absent: the whole response. */
  readonly from?: (read: Json) => Json
  /** Fields that the API changes, with the expected result. */
  readonly otherwise?: Readonly<Record<string, (given: unknown, body: Json) => unknown>>
}

const label = fc.stringMatching(/^[a-z0-9_.-]{1,12}$/)
const name = fc.stringMatching(/^[^\s\0<>|/][^\0<>|/]{0,20}[^\s\0<>|/]$/u)
const enc = (value: unknown) => encodeURIComponent(String(value))
const sorted = (value: unknown) => [...new Set((value as readonly string[] | null) ?? [])].sort()
const price = fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true })
const prompt = { labels: fc.array(label, { maxLength: 3 }), name, commitMessage: fc.option(name) }

const written: readonly (readonly [string, Written])[] = [
  [
    'a dataset',
    {
      operation: datasets.create,
      with: () => ({ name, inputSchema: fc.constant({ type: 'object' }), expectedOutputSchema: fc.constant(null) }),
      readFrom: made => `/v2/datasets/${enc(made['name'])}`,
    },
  ],
  [
    'an item',
    {
      operation: datasetItems.create,
      with: () => ({ datasetName: fc.constant('of items'), id: fc.option(fc.uuid()) }),
      readFrom: made => `/dataset-items/${enc(made['id'])}`,
    },
  ],
  [
    'a text prompt',
    {
      operation: prompts.create,
      with: () => ({ ...prompt, type: fc.constant('text'), prompt: fc.string() }),
      readFrom: made => `/v2/prompts/${enc(made['name'])}?version=${made['version']}&resolve=false`,
      otherwise: { name: given => String(given).trim(), labels: given => sorted([...(given as string[]), 'latest']), tags: sorted },
    },
  ],
  [
    'a score configuration',
    {
      operation: scoreConfigs.create,
      with: () => ({
        name: fc.stringMatching(/^[\w .()-]{1,35}$/),
        dataType: fc.constant('NUMERIC'),
        categories: fc.constant(undefined),
        minValue: fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }),
        maxValue: fc.double({ min: 1, noNaN: true, noDefaultInfinity: true }),
      }),
      readFrom: made => `/score-configs/${made['id']}`,
    },
  ],
  [
    'a queue',
    {
      operation: queues.createQueue,
      with: () => ({ name: fc.uuid(), scoreConfigIds: fc.constant([configId]) }),
      readFrom: made => `/annotation-queues/${made['id']}`,
    },
  ],
  [
    'a model',
    {
      operation: models.create,
      with: () => ({
        modelName: fc.uuid(),
        matchPattern: fc.constant('(?i)^m$'),
        pricingTiers: fc.constant(undefined),
        totalPrice: fc.constant(undefined),
        inputPrice: price,
        outputPrice: price,
        tokenizerId: fc.constantFrom('openai', 'claude', null),
      }),
      readFrom: made => `/models/${made['id']}`,
      otherwise: { startDate: given => (given == null ? null : new Date(String(given)).toISOString()) },
    },
  ],
  [
    'a connection',
    {
      operation: llmConnections.upsert,
      with: () => ({
        ...{ provider: fc.uuid(), adapter: fc.constant('openai'), secretKey: fc.constant('sk-12345678'), baseURL: fc.constant(null) },
        ...{ extraHeaders: fc.constant(null), config: fc.constantFrom(null, { useResponsesApi: true }) },
      }),
      readFrom: () => '/llm-connections?limit=1',
      from: read => (read['data'] as readonly Json[])[0]!,
    },
  ],
  [
    'an evaluator',
    {
      operation: evaluators.create,
      with: () => ({
        ...{ type: fc.constant('llm_as_judge'), prompt: fc.constant([{ role: 'user', content: 'Is {{a b}} good?' }]) },
        modelConfig: fc.record({ provider: fc.constant('judge'), model: name }),
        variableMapping: fc.record({ variable: fc.constant('a b'), source: fc.constantFrom('input', 'output') }).map(each => [each]),
        outputDefinition: fc.oneof(
          fc.record({ dataType: fc.constant('NUMERIC'), minValue: price, maxValue: fc.constant(2) }),
          fc.record({ dataType: fc.constant('BOOLEAN'), scoreReasoningInstructions: name }),
        ),
      }),
      readFrom: made => `/v2/evaluators/${made['id']}`,
    },
  ],
  [
    'a rule',
    {
      operation: evaluationRules.create,
      with: () => ({
        ...{ enabled: fc.constant(false), sampling: fc.double({ min: 0.001, max: 1, noNaN: true }), evaluatorAssignments: fc.constant([]) },
        filter: fc.array(
          fc.record({ type: fc.constant('string'), column: fc.constant('userId'), operator: fc.constant('='), value: name }),
          {
            maxLength: 3,
          },
        ),
      }),
      readFrom: made => `/v2/evaluation-rules/${made['id']}`,
    },
  ],
  [
    'a widget',
    {
      operation: dashboardWidgets.create,
      with: () => ({
        ...{ view: fc.constant('observations'), dimensions: fc.constantFrom([], [{ field: 'name' }]), filters: fc.constant([]) },
        metrics: fc.constant([{ measure: 'latency', agg: 'p95' }]),
        ...{ chartType: fc.constant('HISTOGRAM'), chartConfig: fc.record({ bins: fc.integer({ min: 1, max: 100 }) }) },
      }),
      readFrom: made => `/unstable/dashboard-widgets/${made['id']}`,
      otherwise: { chartConfig: given => ({ type: 'HISTOGRAM', ...(given as object) }) },
    },
  ],
  [
    'a dashboard',
    {
      operation: dashboards.create,
      with: () => ({
        definition: fc
          .record({
            ...{ type: fc.constant('preset'), id: fc.uuid(), presetId: fc.constantFrom('home-traces', 'home-users') },
            ...{ x: fc.nat(100), y: fc.nat(100), width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 50 }) },
          })
          .map(each => ({ widgets: [each] })),
        filters: fc.constant([]),
      }),
      readFrom: made => `/unstable/dashboards/${made['id']}`,
    },
  ],
]

/** The stores refuse or replace such texts. */
const isStorable = (body: unknown) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(body))

test.each(written)(
  '%s comes back unchanged',
  async (_, { operation, with: more, readFrom, from = (read: Json) => read, otherwise = {} }) => {
    let accepted = 0
    const body = fc.tuple(takenBy(operation.body!), fc.record(more())).map(([made, fields]) => ({ ...(made as object), ...fields }) as Json)
    await fc.assert(
      fc.asyncProperty(body, async given => {
        fc.pre(isStorable(given))
        const sent = JSON.parse(JSON.stringify(given)) as Json
        const { status, json: made } = await opened.api.send(operation.method, operation.path, { authorization, body: given })
        if (status >= 400) return
        accepted++
        const read = await other.send('GET', `/api/public${readFrom(made)}`, { authorization })
        expect(read.status, read.text).toBe(200)
        const stored = from(read.json)
        for (const [key, value] of Object.entries(sent)) {
          if (value === null || !(key in stored)) continue
          const expected = otherwise[key]?.(value, sent) ?? value
          const found = Array.isArray(expected) && otherwise[key] !== undefined ? sorted(stored[key]) : stored[key]
          expect(found, key).toEqual(expected)
        }
      }),
      { numRuns: 40 },
    )
    expect(accepted, 'bodies that are accepted').toBeGreaterThan(5)
  },
)

// Writes data through the API, and reads it back. The bodies are generated from the schemas, so that new fields are tested automatically.
import * as queues from '@svc-server/api/annotation-queues/operations'
import * as comments from '@svc-server/api/comments/operations'
import * as datasetItems from '@svc-server/api/dataset-items/operations'
import * as datasets from '@svc-server/api/datasets/operations'
import * as evaluationRules from '@svc-server/api/evaluation-rules/operations'
import * as evaluators from '@svc-server/api/evaluators/operations'
import * as llmConnections from '@svc-server/api/llm-connections/operations'
import * as models from '@svc-server/api/models/operations'
import * as prompts from '@svc-server/api/prompts/operations'
import * as scoreConfigs from '@svc-server/api/score-configs/operations'
import * as skills from '@svc-server/api/skills/operations'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { addPerson } from './people.ts'
import { checkReadBack, type Instances, instanceKinds, type Json, type Written } from './read-back.ts'

/** Ids of objects that the test creates first. The generated writes refer to these objects. */
const ids: Record<string, string> = {}

const label = fc.stringMatching(/^[a-z0-9_.-]{1,12}$/)
const name = fc.stringMatching(/^[^\s\0<>|/][^\0<>|/]{0,20}[^\s\0<>|/]$/u)
const enc = (value: unknown) => encodeURIComponent(String(value))
const later = (value: unknown) => (value == null ? null : new Date(String(value)).toISOString())
const sorted = (value: unknown) => [...new Set((value as readonly string[] | null) ?? [])].sort()
const price = fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true })
const number = fc.double({ min: -1e9, max: 1e9, noNaN: true })
const prompt = { labels: fc.array(label, { maxLength: 3 }), name, commitMessage: fc.option(name) }

const promptForm: Pick<Written, 'otherwise' | 'shown'> = {
  otherwise: { name: given => String(given).trim(), labels: given => sorted([...(given as string[]), 'latest']), tags: sorted },
  shown: { labels: read => sorted(read['labels']), tags: read => sorted(read['tags']) },
}
const messages = fc.array(
  fc.oneof(
    fc.record({ role: fc.constantFrom('user', 'system', 'tool', ''), content: fc.string({ unit: 'grapheme' }) }),
    fc.record({ type: fc.constant('placeholder'), name: fc.stringMatching(/^[a-z]{1,5}$/) }),
    fc.record({ role: fc.string(), content: fc.string(), more: fc.jsonValue({ maxDepth: 2 }) }),
  ),
  { maxLength: 4 },
)
const withType = (given: unknown) =>
  (given as readonly Json[]).map(message => (message['type'] === undefined ? { ...message, type: 'chatmessage' } : message))
const categories = fc.uniqueArray(fc.record({ label: fc.string({ minLength: 1, maxLength: 10 }), value: number }), {
  minLength: 1,
  maxLength: 4,
  comparator: (a, b) => a.label === b.label || Object.is(a.value, b.value) || a.value === b.value,
})
const usage = fc.record({
  usageDetailPattern: fc.constantFrom('^input', 'cache.*'),
  operator: fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq', 'neq'),
  value: fc.double({ min: 0, max: 1e9, noNaN: true }),
  caseSensitive: fc.boolean(),
})
const attribute = fc.record({
  source: fc.constantFrom('model_parameters', 'metadata'),
  key: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
  operator: fc.constant('in'),
  values: fc.array(fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }), { minLength: 1, maxLength: 3 }),
})
const tiers = fc
  .record({
    first: price,
    second: price,
    name: fc.stringMatching(/^[a-z ]{0,5}[a-z]$/),
    conditions: fc.array(fc.oneof(usage, attribute), { minLength: 1, maxLength: 3 }),
  })
  .map(({ first, second, name: tier, conditions }) => [
    { name: 'Standard', isDefault: true, priority: 0, conditions: [], prices: { input: first, 'a b': second } },
    { name: `t${tier}`, isDefault: false, priority: 7, conditions, prices: { input: second, 'a b': first } },
  ])
const withoutIds = (read: Json) => (read['pricingTiers'] as readonly Json[]).map(({ id: _, ...tier }) => tier)
const tieredModel = {
  with: () => ({
    startDate: fc.option(
      fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }).map(each => each.toISOString()),
    ),
    modelName: fc.uuid(),
    matchPattern: fc.constantFrom('(?i)^m$', '^a.b[0-9]+$'),
    pricingTiers: tiers,
    ...{ inputPrice: fc.constant(undefined), outputPrice: fc.constant(undefined), totalPrice: fc.constant(undefined) },
    tokenizerId: fc.constantFrom('openai', 'claude', null),
  }),
  readFrom: (made: Json) => `/models/${enc(made['id'])}`,
  otherwise: { startDate: later },
  shown: { pricingTiers: withoutIds },
}
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
      ...promptForm,
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
      with: () => ({ name: fc.uuid(), scoreConfigIds: fc.constant('').map(() => [ids['config']]) }),
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
      otherwise: { startDate: later },
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
      hidden: ['secretKey', 'extraHeaders'],
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
      hidden: ['sourceCode', 'sourceCodeLanguage'],
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
    'a comment',
    {
      operation: comments.create,
      with: () => ({
        ...{ objectType: fc.constant('PROMPT'), objectId: fc.constant('').map(() => ids['prompt']) },
        authorUserId: fc.boolean().map(isSet => (isSet ? ids['person'] : null)),
      }),
      readFrom: made => `/comments/${made['id']}`,
      otherwise: { content: given => String(given).trim(), projectId: () => 'project-0' },
    },
  ],
  [
    'a chat prompt',
    {
      operation: prompts.create,
      with: () => ({ ...prompt, name: name.map(each => `chat/${each}`), type: fc.constant('chat'), prompt: messages }),
      readFrom: made => `/v2/prompts/${enc(made['name'])}?version=${made['version']}&resolve=false`,
      ...promptForm,
      otherwise: { ...promptForm.otherwise, prompt: withType },
    },
  ],
  [
    'labels of a prompt',
    {
      operation: prompts.updateVersion,
      params: () => ({ name: 'labeled/prompt', version: '1' }),
      with: () => ({
        newLabels: fc.array(
          label.filter(each => each !== 'latest'),
          { maxLength: 3 },
        ),
      }),
      readFrom: () => '/v2/prompts/labeled%2Fprompt?version=1',
      // The prompt also has the labels of earlier writes, so the labels in the response can differ from the labels in the request.
      otherwise: { newLabels: () => true },
      shown: { newLabels: read => Array.isArray(read['labels']) },
    },
  ],
  [
    'a configuration of categories',
    {
      operation: scoreConfigs.create,
      with: () => ({
        ...{ name: fc.stringMatching(/^[\w .()-]{1,35}$/), dataType: fc.constant('CATEGORICAL'), categories },
        ...{ minValue: fc.constant(undefined), maxValue: fc.constant(undefined) },
      }),
      readFrom: made => `/score-configs/${made['id']}`,
    },
  ],
  [
    'a changed configuration',
    {
      operation: scoreConfigs.update,
      params: () => ({ configId: ids['changed']! }),
      with: () => ({
        name: fc.stringMatching(/^[\w .()-]{1,35}$/),
        categories: fc.constant(undefined),
        minValue: number,
        maxValue: fc.constant(2e9),
      }),
      readFrom: () => `/score-configs/${ids['changed']}`,
    },
  ],
  ['a model with tiers', { operation: models.create, ...tieredModel }],
  [
    'a model under a given id',
    {
      operation: models.upsert,
      params: () => ({ id: 'a given/id %' }),
      ...tieredModel,
      with: () => ({ ...tieredModel.with(), modelName: fc.uuid().map(id => `under an id ${id}`) }),
    },
  ],
  [
    'an item of a queue',
    {
      operation: queues.createQueueItem,
      params: () => ({ queueId: ids['queue']! }),
      with: () => ({}),
      readFrom: made => `/annotation-queues/${ids['queue']}/items/${made['id']}`,
    },
  ],
  [
    'a changed item of a queue',
    {
      operation: queues.updateQueueItem,
      params: () => ({ queueId: ids['queue']!, itemId: ids['queueItem']! }),
      with: () => ({}),
      readFrom: () => `/annotation-queues/${ids['queue']}/items/${ids['queueItem']}`,
    },
  ],
  [
    'tags of a skill',
    {
      operation: skills.update,
      params: () => ({ skillName: 'a-skill' }),
      with: () => ({}),
      readFrom: () => '/unstable/skills/a-skill?version=1',
      otherwise: { tags: sorted },
      shown: { tags: read => sorted(read['tags']) },
    },
  ],
  [
    'labels of a skill',
    {
      operation: skills.setLabels,
      params: () => ({ skillName: 'a-skill', skillVersion: '1' }),
      with: () => ({}),
      readFrom: () => '/unstable/skills/a-skill?version=1',
      otherwise: { labels: given => sorted([...(given as string[]), 'latest']) },
      shown: { labels: read => sorted(read['labels']) },
    },
  ],
]

describe.each(instanceKinds('postgres'))('on $kind', ({ open }) => {
  let all: Instances
  beforeAll(async () => {
    all = await open()
    const { store, send } = all.opened
    const made = async (path: string, body: object): Promise<Json> => (await send('POST', path, body)).json
    const idOf = async (path: string, body: object) => String((await made(path, body))['id'])
    await made('/v2/datasets', { name: 'of items' })
    await send('PUT', '/llm-connections', { provider: 'judge', adapter: 'openai', secretKey: 'sk-12345678' })
    ids['person'] = (await addPerson(store, 'person@example.com', 'MEMBER')).id
    ids['config'] = await idOf('/score-configs', { name: 'of queues', dataType: 'TEXT' })
    ids['changed'] = await idOf('/score-configs', { name: 'changed', dataType: 'NUMERIC' })
    ids['prompt'] = await idOf('/v2/prompts', { name: 'commented', prompt: 'a' })
    await made('/v2/prompts', { name: 'labeled/prompt', prompt: 'a' })
    ids['queue'] = await idOf('/annotation-queues', { name: 'q', scoreConfigIds: [ids['config']] })
    ids['queueItem'] = await idOf(`/annotation-queues/${ids['queue']}/items`, { objectId: 't', objectType: 'TRACE' })
    await made('/unstable/skills', { files: [{ path: 'SKILL.md', content: '---\nname: a-skill\ndescription: d\n---\n' }] })
  })
  afterAll(() => all.close())

  test.each(written)('%s comes back unchanged', (_, each) => checkReadBack(all, each))
})

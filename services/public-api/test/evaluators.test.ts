import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'
import { addPerson, signedInAs } from './people.ts'
import { type OpenedResources, openResources } from './resources.ts'

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace('T', ' ').replace('Z', '000')
const row = {
  ...{ project_id: 'project-0', type: 'GENERATION', level: 'DEFAULT', environment: 'production', trace_id: 't', name: 'answer' },
  ...{ start_time: minutesAgo(30), event_ts: minutesAgo(30), experiment_dataset_id: 'd' },
}
const rows = [
  { ...row, span_id: 'a' },
  { ...row, span_id: 'b', name: 'other' },
  { ...row, span_id: 'deleted', is_deleted: 1 },
  { ...row, span_id: 'old', start_time: minutesAgo(3_000) },
  { ...row, span_id: 'foreign', project_id: 'project-other' },
]

let engine: ApiOnEngine
let opened: OpenedResources
beforeAll(async () => {
  engine = await startOnEngine(store =>
    store.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(each => JSON.stringify(each)).join('\n')}`),
  )
  opened = await openResources({ columnStore: engine.columnStore })
  await connect()
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  await engine.close()
})

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const connect = () => send('PUT', '/llm-connections', { provider: 'openai', adapter: 'openai', secretKey: 'sk' })

const judge = {
  type: 'llm_as_judge',
  name: 'helpful',
  description: 'How helpful it is.',
  prompt: [
    { role: 'system', content: 'Judge {{ answer }}.' },
    { role: 'user', content: '{{question}} {{answer}} {{}} {{question}}' },
  ],
  modelConfig: { provider: 'openai', model: 'a-model' },
  variableMapping: [
    { variable: 'question', source: 'input', jsonPath: '$.text' },
    { variable: 'answer', source: 'output' },
  ],
  outputDefinition: { dataType: 'NUMERIC', minValue: 0, maxValue: 1, scoreReasoningInstructions: 'why', scoreValueInstructions: 'what' },
} as const
const make = async (more: object = {}) => (await send('POST', '/v2/evaluators', { ...judge, ...more })).json

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

test('an evaluator is created with every field, read, listed with a cursor, and deleted', async () => {
  const made = await send('POST', '/v2/evaluators', judge)
  const view = {
    ...judge,
    ...{ id: expect.any(String), variables: ['answer', 'question'], createdBy: null, status: 'active' },
    ...{ pausedAt: null, pausedReason: null, pausedMessage: null, evaluationRuleAssignments: [], createdAt: time, updatedAt: time },
    ...{ versionId: expect.any(String), version: 1, versionCreatedAt: time, versionCreatedBy: null },
  }
  expect([made.status, made.json]).toEqual([201, view])
  const { id } = made.json
  expect((await send('GET', `/v2/evaluators/${id}`)).json).toEqual(made.json)
  const minimal = await make({
    description: undefined,
    prompt: 'plain',
    variableMapping: undefined,
    outputDefinition: { dataType: 'BOOLEAN' },
  })
  expect(minimal).toMatchObject({
    ...{ description: null, prompt: [{ role: 'user', content: 'plain' }], variables: [], variableMapping: null },
    outputDefinition: { dataType: 'BOOLEAN' },
  })
  const categories = { dataType: 'CATEGORICAL', categories: ['a', 'b'], shouldAllowMultipleMatches: true }
  expect((await make({ outputDefinition: categories })).outputDefinition).toEqual(categories)

  const first = await send('GET', '/v2/evaluators?limit=2')
  const second = await send('GET', `/v2/evaluators?limit=2&cursor=${first.json.meta.cursor}`)
  expect([first.json.data.length, second.json.data.map((each: { id: string }) => each.id), second.json.meta]).toEqual([2, [id], {}])
  expect((await opened.sendOther('GET', `/v2/evaluators/${id}`)).json).toEqual({
    message: 'Evaluator not found',
    code: 'resource_not_found',
  })
  expect((await opened.sendOther('DELETE', `/v2/evaluators/${id}`)).status).toBe(404)
  expect((await send('DELETE', `/v2/evaluators/${id}`)).json).toEqual({ id })
  expect((await send('GET', `/v2/evaluators/${id}`)).status).toBe(404)
  expect((await send('GET', `/v2/evaluators/${id}/versions`)).status).toBe(404)
  expect(await opened.audit(id)).toEqual(['create evaluator', 'delete evaluator'])
})

test('a change of metadata keeps the version, and a new definition creates one', async () => {
  const { id } = await make()
  const patch = (body: object) => send('PATCH', `/v2/evaluators/${id}`, body)
  expect((await patch({ name: 'renamed', description: null })).json).toMatchObject({ name: 'renamed', description: null, version: 1 })
  const { name: _, description: __, ...definition } = judge
  const changed = await patch({ ...definition, prompt: 'New {{a}}', variableMapping: null, outputDefinition: { dataType: 'BOOLEAN' } })
  expect([changed.status, changed.json]).toMatchObject([200, { name: 'renamed', version: 2, variables: ['a'], variableMapping: null }])
  const versions = (await send('GET', `/v2/evaluators/${id}/versions?limit=1`)).json
  const rest = (await send('GET', `/v2/evaluators/${id}/versions?cursor=${versions.meta.cursor}`)).json
  expect([...versions.data, ...rest.data].map(each => [each.version, each.variables])).toEqual([
    [2, ['a']],
    [1, ['answer', 'question']],
  ])
  expect(rest.data[0]).toEqual({
    ...definition,
    id: expect.any(String),
    variables: ['answer', 'question'],
    version: 1,
    createdAt: time,
    createdBy: null,
  })
  for (const body of [{}, { name: null }, { name: '' }, { type: 'llm_as_judge', prompt: 'a' }, { type: 'other' }])
    expect([(await patch(body)).status, (await patch(body)).json.code], JSON.stringify(body)).toEqual([400, 'invalid_body'])
})

test('an evaluator names the person that created it, and no person if an API key did', async () => {
  const person = await addPerson(opened.store, 'judge@example.com', 'MEMBER')
  await opened.store.db.updateTable('users').set({ name: 'A Judge' }).where('id', '=', person.id).execute()
  const headers = await signedInAs(opened.store, person)
  const ask = (method: string, path: string, body?: object) =>
    opened.api.send(method, `/api/ui/projects/project-0/v2${path}`, { authorization: null, headers, ...(body && { body }) })
  const createdBy = { id: person.id, name: 'A Judge' }
  const { json } = await ask('POST', '/evaluators', judge)
  expect(json).toMatchObject({ createdBy, versionCreatedBy: createdBy })
  const { name: _, description: __, ...definition } = judge
  const changed = { createdBy, versionCreatedBy: null, version: 2 }
  expect((await send('PATCH', `/v2/evaluators/${json.id}`, definition)).json).toMatchObject(changed)
  expect((await send('GET', `/v2/evaluators/${json.id}`)).json).toMatchObject(changed)
  expect((await send('GET', '/v2/evaluators?limit=1')).json.data).toMatchObject([changed])
  const versions = await send('GET', `/v2/evaluators/${json.id}/versions`)
  expect(versions.json.data).toMatchObject([{ createdBy: null }, { createdBy }])
  const made = await ask('POST', '/evaluation-rules', { name: 'r', enabled: false, evaluatorAssignments: [] })
  expect(made.json).toMatchObject({ createdBy })
  expect((await send('GET', '/v2/evaluation-rules?limit=1')).json.data).toMatchObject([{ createdBy }])
  expect((await send('PATCH', `/v2/evaluation-rules/${made.json.id}`, { sampling: 0.5 })).json).toMatchObject({ createdBy })
})

test('invalid evaluators are refused with a reason', async () => {
  const create = async (more: object) => {
    const { status, json } = await send('POST', '/v2/evaluators', { ...judge, ...more })
    return [status, json.code]
  }
  const { variableMapping } = judge
  const invalid = [
    { prompt: '' },
    { prompt: [] },
    { prompt: [judge.prompt[1], judge.prompt[0]] },
    { variableMapping: variableMapping.slice(1) },
    { variableMapping: [...variableMapping, variableMapping[0]] },
    { variableMapping: [...variableMapping, { variable: 'unknown', source: 'input' }] },
    { variableMapping: [{ ...variableMapping[0], jsonPath: 'text' }, variableMapping[1]] },
    { variableMapping: [{ ...variableMapping[0], source: 'elsewhere' }, variableMapping[1]] },
    { outputDefinition: { dataType: 'CATEGORICAL', categories: ['a'], shouldAllowMultipleMatches: true } },
    { outputDefinition: { dataType: 'CATEGORICAL', categories: ['a', 'a'], shouldAllowMultipleMatches: true } },
    { outputDefinition: { dataType: 'NUMERIC', minValue: 2, maxValue: 1 } },
    { outputDefinition: { dataType: 'TEXT' } },
    { name: '' },
    { type: 'other' },
  ]
  for (const more of invalid) expect(await create(more), JSON.stringify(more)).toEqual([400, 'invalid_body'])
  expect(await create({ modelConfig: { provider: 'nobody', model: 'a' } })).toEqual([412, 'invalid_request'])
  expect(await create({ modelConfig: null })).toEqual([412, 'invalid_request'])
  expect(await create({ type: 'code', sourceCode: 'a', sourceCodeLanguage: 'PYTHON' })).toEqual([403, 'access_denied'])
  for (const query of ['limit=0', 'limit=101', 'limit=a'])
    expect((await send('GET', `/v2/evaluators?${query}`)).json).toMatchObject({
      code: 'invalid_query',
      message: 'Invalid query parameters',
    })
  expect((await send('GET', '/v2/evaluators?cursor=a')).status).toBe(400)
})

test('evaluators whose connection is deleted are paused until they get a different connection', async () => {
  await send('PUT', '/llm-connections', { provider: 'leaving', adapter: 'anthropic', secretKey: 'sk' })
  const [gone, stays] = [await make({ modelConfig: { provider: 'leaving', model: 'a' } }), await make()]
  const { data } = (await send('GET', '/llm-connections')).json
  await send('DELETE', `/llm-connections/${data.find((each: { provider: string }) => each.provider === 'leaving').id}`)
  const paused = {
    status: 'paused',
    pausedAt: time,
    pausedReason: 'LLM_CONNECTION_MISSING',
    pausedMessage: expect.stringContaining('leaving'),
  }
  expect((await send('GET', `/v2/evaluators/${gone.id}`)).json).toMatchObject(paused)
  expect((await send('GET', `/v2/evaluators/${stays.id}`)).json.status).toBe('active')
  const { name: _, description: __, ...definition } = judge
  expect((await send('PATCH', `/v2/evaluators/${gone.id}`, definition)).json).toMatchObject({
    status: 'active',
    pausedAt: null,
    version: 2,
  })
})

const rule = (evaluatorId: string) => ({
  name: 'answers',
  enabled: true,
  sampling: 0.25,
  filter: [
    { type: 'stringOptions', column: 'name', operator: 'any of', value: ['answer'] },
    { type: 'stringOptions', column: 'datasetId', operator: 'any of', value: ['d'] },
  ],
  evaluatorAssignments: [{ evaluatorId, variableMapping: null }],
})

test('a rule is created with every field, counted against the last day, changed, and deleted', async () => {
  const [one, two] = [await make(), await make()]
  const given = rule(one.id)
  const made = await send('POST', '/v2/evaluation-rules', given)
  expect([made.status, made.headers['x-svc-matched-last-day'], made.json]).toEqual([
    201,
    '1',
    { ...given, id: expect.any(String), createdBy: null, createdAt: time, updatedAt: time },
  ])
  const { id } = made.json
  const path = `/v2/evaluation-rules/${id}`
  expect((await send('GET', path)).json).toEqual(made.json)
  expect((await send('GET', `/v2/evaluators/${one.id}`)).json.evaluationRuleAssignments).toEqual([{ evaluationRuleId: id }])

  const override = [
    { variable: 'question', source: 'metadata', jsonPath: '$.q' },
    { variable: 'answer', source: 'expected_output' },
  ]
  const evaluatorAssignments = [{ evaluatorId: two.id, variableMapping: override }, given.evaluatorAssignments[0]]
  const filter = [{ type: 'datetime', column: 'startTime', operator: '=', value: '2026-01-01T00:00:00.000Z' }]
  const changed = await send('PATCH', path, { name: 'renamed', sampling: 1, filter, evaluatorAssignments })
  expect([changed.status, changed.headers['x-svc-matched-last-day'], changed.json]).toMatchObject([
    200,
    '0',
    { name: 'renamed', sampling: 1, filter, evaluatorAssignments, enabled: true },
  ])
  expect((await send('GET', `/v2/evaluators/${two.id}`)).json.evaluationRuleAssignments).toEqual([
    { evaluationRuleId: id, variableMappingOverride: override },
  ])
  expect((await send('PATCH', path, { evaluatorAssignments: [] })).json).toMatchObject({ enabled: false, evaluatorAssignments: [] })
  for (const body of [
    { enabled: true },
    { enabled: true, evaluatorAssignments: [] },
    {},
    { sampling: 0 },
    { sampling: null },
    { name: '' },
  ])
    expect((await send('PATCH', path, body)).status, JSON.stringify(body)).toBe(400)
  expect((await opened.sendOther('PATCH', path, { enabled: false })).status).toBe(404)
  expect((await opened.sendOther('DELETE', path)).status).toBe(404)
  expect((await send('DELETE', path)).json).toEqual({ id })
  expect((await send('DELETE', path)).json).toEqual({ message: 'Evaluation rule not found', code: 'resource_not_found' })
  expect(await opened.audit(id)).toEqual([
    'create evaluationRule',
    'update evaluationRule',
    'update evaluationRule',
    'delete evaluationRule',
  ])
})

test('rules with invalid filters, evaluators or mappings are refused', async () => {
  const { id } = await make()
  const unmapped = await make({ variableMapping: null })
  const wrong = [
    { filter: [{ type: 'string', column: 'nothing', operator: '=', value: 'a' }] },
    { filter: [{ type: 'number', column: 'name', operator: '=', value: 1 }] },
    { filter: [{ type: 'numberObject', column: 'scores_avg', key: 'a', operator: '=', value: 1 }] },
    { filter: [{ type: 'string', column: 'name', operator: 'like', value: 'a' }] },
    { evaluatorAssignments: [] },
    { evaluatorAssignments: [{ evaluatorId: 'unknown' }] },
    { evaluatorAssignments: [{ evaluatorId: id }, { evaluatorId: id }] },
    { evaluatorAssignments: [{ evaluatorId: unmapped.id }] },
    { evaluatorAssignments: [{ evaluatorId: id, variableMapping: [{ variable: 'answer', source: 'input' }] }] },
    { sampling: 0 },
    { sampling: 1.1 },
    { sampling: null },
  ]
  for (const more of wrong) {
    const { status } = await send('POST', '/v2/evaluation-rules', { ...rule(id), ...more })
    expect(status, JSON.stringify(more)).toBe(400)
  }
  expect((await opened.sendOther('POST', '/v2/evaluation-rules', rule(id))).status).toBe(400)
  const idle = await send('POST', '/v2/evaluation-rules', { name: 'idle', enabled: false, evaluatorAssignments: [] })
  expect([idle.status, idle.json]).toMatchObject([201, { enabled: false, sampling: 1, filter: [], evaluatorAssignments: [] }])
  const last = await send('POST', '/v2/evaluation-rules', { ...rule(id), filter: [] })
  expect(last.headers['x-svc-matched-last-day']).toBe('2')
  await send('DELETE', `/v2/evaluators/${id}`)
  expect((await send('GET', `/v2/evaluation-rules/${last.json.id}`)).json).toMatchObject({ enabled: false, evaluatorAssignments: [] })
})

test('v3 rules for traces and datasets, and evaluators that only such rules use, are marked as legacy', async () => {
  const made = await make()
  const other = await make()
  const rule = async (evaluatorIds: readonly string[]) => {
    const evaluatorAssignments = evaluatorIds.map(evaluatorId => ({ evaluatorId }))
    return (await send('POST', '/v2/evaluation-rules', { name: 'a rule', enabled: false, evaluatorAssignments })).json
  }
  const [ofTraces, ofDatasets, ofObservations] = [await rule([made.id, other.id]), await rule([made.id]), await rule([other.id])]
  expect('isLegacy' in ofTraces || 'isLegacy' in made).toBe(false)
  const { db } = opened.store
  for (const [{ id }, target] of [
    [ofTraces, 'trace'],
    [ofDatasets, 'dataset'],
  ] as const)
    await db.updateTable('evaluation_rules').set({ target_object: target }).where('id', '=', id).execute()
  const marks = async (path: string) =>
    new Map((await send('GET', path)).json.data.map((each: { id: string; isLegacy?: boolean }) => [each.id, each.isLegacy]))
  const rules = await marks('/v2/evaluation-rules')
  expect([ofTraces, ofDatasets, ofObservations].map(({ id }) => rules.get(id))).toEqual([true, true, undefined])
  const evaluators = await marks('/v2/evaluators')
  expect([made, other].map(({ id }) => evaluators.get(id))).toEqual([true, undefined])
  expect((await send('GET', `/v2/evaluation-rules/${ofTraces.id}`)).json.isLegacy).toBe(true)
  expect((await send('GET', `/v2/evaluators/${made.id}`)).json.isLegacy).toBe(true)
  const disabled = await send('PATCH', `/v2/evaluation-rules/${ofTraces.id}`, { enabled: false })
  expect([disabled.status, disabled.json.isLegacy]).toEqual([200, true])
})

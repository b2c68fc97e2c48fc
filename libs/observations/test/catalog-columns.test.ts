import { countedRecordBytes } from '@svc-server/otlp/work'
import { type CatalogModel, catalogSnapshot } from '@svc-server/pricing/snapshot'
import { attributes, encodeTraceRequest } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { explainRequest } from '../src/block/explain.ts'
import { aSpan, batchOf, type Mapping, openMapping, receivedAtMs, recordOf, requestOf, selectionOf } from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const model: CatalogModel = {
  id: 'model-1',
  projectId: null,
  modelName: 'm',
  matchPattern: '(?i)^m(-.*)?$',
  startDate: null,
  tokenizerId: 'openai',
  tokenizerConfig: { tokenizerModel: 'gpt-4o' },
  tiers: [
    { id: 'tier-0', name: 'Standard', isDefault: true, priority: 0, conditions: [], prices: { input: '0.000001', output: '0.00001' } },
    {
      id: 'tier-1',
      name: 'Priority',
      isDefault: false,
      priority: 1,
      conditions: [{ source: 'model_parameters', key: 'service_tier', operator: 'in', values: ['priority'] }],
      prices: { input: '0.000002', output: '0.00002' },
    },
    {
      id: 'tier-2',
      name: 'Partner',
      isDefault: false,
      priority: 2,
      conditions: [{ source: 'metadata', key: 'partner', operator: 'in', values: ['true'] }],
      prices: { input: '0.0000005', output: '0.000005' },
    },
  ],
  shipped: false,
}
const catalog = catalogSnapshot({
  models: [model, { ...model, id: 'model-2', projectId: 'project-1', matchPattern: '^own$' }],
  prompts: [{ id: 'prompt-1', projectId: 'project-1', name: 'greeting', version: 3 }],
})
const encoder = createChunkEncoder({ catalog })
const encode = (values: Parameters<typeof requestOf>[0], facts?: Parameters<typeof requestOf>[1]) =>
  encoder.encode([recordOf(batchOf(encodeTraceRequest(requestOf(values, facts))))])
const row = (...args: Parameters<typeof encode>) => mapping.rows(encode(...args))[0]!

const used = { 'gen_ai.request.model': 'M-2026', 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 }

test('computes the cost at the model’s default tier', () => {
  expect(row(used)).toMatchObject({
    model_id: 'model-1',
    usage_pricing_tier_id: 'tier-0',
    usage_pricing_tier_name: 'Standard',
    provided_cost_details: {},
    cost_details: { input: 0.001, output: 0.001, total: 0.002 },
  })
})
test('selects a tier by a model parameter', () => {
  expect(row({ ...used, 'gen_ai.request.service_tier': 'priority' })).toMatchObject({
    usage_pricing_tier_id: 'tier-1',
    cost_details: { input: 0.002, output: 0.002, total: 0.004 },
  })
})
test.each<[string, Parameters<typeof requestOf>[0], Parameters<typeof requestOf>[1]]>([
  ['a boolean', { 'svc.observation.metadata.partner': true }, {}],
  ['a carrier', { 'svc.observation.metadata': '{"partner":true}' }, {}],
  [
    'JSON of the newest SDKs',
    { 'svc.observation.metadata.partner': 'true' },
    { scope: { name: 'svc-sdk', version: '5.0.4' }, resource: { 'telemetry.sdk.language': 'python' } },
  ],
])('selects a tier by the user’s metadata: %s', (_, metadata, facts) => {
  expect(row({ ...used, ...metadata }, facts)['usage_pricing_tier_id']).toBe('tier-2')
})
test('prefers a project’s own model', () => {
  expect(row({ ...used, 'gen_ai.request.model': 'own' })['model_id']).toBe('model-2')
})
test('a provided cost wins, and the row still names the tier', () => {
  expect(row({ ...used, 'gen_ai.usage.cost': 7 })).toMatchObject({ cost_details: { total: 7 }, usage_pricing_tier_id: 'tier-0' })
})
test('counts tokens when the client did not, except for a failed span', () => {
  const values = { 'gen_ai.request.model': 'm', 'input.value': 'How far is the moon?', 'output.value': '384,400 km' }
  const { usage_details: counted, provided_usage_details: provided } = row(values)
  expect(provided).toEqual({})
  expect(Number((counted as Record<string, string>)['total'])).toBeGreaterThan(5)
  expect(row({ ...values, 'svc.observation.level': 'error' })['usage_details']).toEqual({})
})
test('F50 · counts tokens only in the first part of a large record, whichever rows are selected', () => {
  const asked = (index: number, bytes: number) =>
    aSpan({
      spanId: String(index).padStart(16, '1'),
      attributes: attributes({ 'gen_ai.request.model': 'm', 'input.value': 'How far?', filling: 'x'.repeat(bytes) }),
    })
  const spans = [asked(0, 10), asked(1, countedRecordBytes - 1000), asked(2, 1000), asked(3, 10)]
  const record = recordOf(batchOf(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] }), { spanCount: spans.length }))
  const countedOf = (chunk: ReturnType<typeof encode>) =>
    mapping.rows(chunk).map(({ usage_details }) => Object.keys(usage_details as object).length > 0)
  const whole = encoder.encode([record])
  expect(whole.enrichment).toMatchObject({ tokenized: 2, tokenizationSkipped: 2 })
  expect(countedOf(whole)).toEqual([true, true, false, false])
  expect(countedOf(encoder.encode([record], selectionOf([{ offset: record.offset, index: 3 }])))).toEqual([false])
  expect(countedOf(encoder.encode([record], selectionOf([{ offset: record.offset, index: 1 }])))).toEqual([true])
})
test('an agent’s span has no cost', () => {
  expect(row({ ...used, 'gen_ai.operation.name': 'invoke_agent' })).toMatchObject({ model_id: '', cost_details: {}, usage_details: {} })
})
test('writes the id of the linked prompt', () => {
  const prompt = { 'svc.observation.type': 'generation', 'svc.observation.prompt.name': 'greeting', 'svc.observation.prompt.version': 3 }
  expect(row(prompt)['prompt_id']).toBe('prompt-1')
  expect(row({ ...prompt, 'svc.observation.prompt.version': 4 })).toMatchObject({
    prompt_id: '',
    prompt_name: 'greeting',
    prompt_version: 4,
  })
})
test('counts catalog hits and misses per chunk', () => {
  expect(encode({ 'gen_ai.request.model': 'nobody knows' }).enrichment).toMatchObject({ unknownModel: 1, tokenized: 0 })
  const mismatch = encode({ 'svc.observation.usage_details': '{"input":100,"output":100,"total":10}' })
  expect(mismatch.enrichment).toMatchObject({ unknownModel: 0, totalMismatch: 1 })
})
test('a new catalog applies from the next chunk on', () => {
  const own = createChunkEncoder()
  const record = recordOf(batchOf(encodeTraceRequest(requestOf(used))))
  const before = own.encode([record])
  expect(own.useCatalog(catalog)).toEqual([])
  const after = own.encode([record])
  expect(mapping.rows(before)[0]).toMatchObject({ model_id: '', cost_details: {} })
  expect(mapping.rows(after)[0]).toMatchObject({ model_id: 'model-1' })
  expect(own.encode([record]).hash).toBe(after.hash)
})
test('an explanation names the catalog', () => {
  const { columns } = explainRequest(encodeTraceRequest(requestOf(used)), { nowMs: receivedAtMs }, { catalog }).spans[0]!
  expect(columns['cost_details']!.rule).toBe('prices of the catalog')
  expect(columns['model_id']!.rule).toBe('catalog')
  expect(columns['provided_usage_details']).toMatchObject({
    rule: 'gen_ai.usage.*, llm.token_count.*',
    attributes: ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
  })
})

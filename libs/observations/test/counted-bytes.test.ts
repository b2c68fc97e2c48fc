// F26: Before a request is mapped, a scan finds the spans that need a token count by the server.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { countedRecordBytes } from '@svc-server/otlp/work'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { attributes, encodeTraceRequest, type KeyValue } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { attributesOf } from '../src/dialects/registry.ts'
import { dearShapes } from './dear-shapes.ts'
import { knownKeys } from './known-keys.ts'
import { aSpan, batchOf, type RequestFacts, receivedAtMs, recordOf, requestOf } from './mapped-rows.ts'

type Values = Parameters<typeof attributes>[0]
type Value = NonNullable<KeyValue['value']>

const encoder = createChunkEncoder({ catalog: catalogSnapshot({ models: shippedModels(), prompts: [] }) })
const countedOf = (body: Uint8Array) => scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36 }).countedBytes
const chargedFor = (values: Values, facts?: RequestFacts) => countedOf(encodeTraceRequest(requestOf(values, facts)))
const tokenized = (body: Uint8Array, spanCount = 1) => encoder.encode([recordOf(batchOf(body, { spanCount }))]).enrichment.tokenized

const question = { 'svc.observation.input': 'what is it? '.repeat(100) }
const asked = { 'svc.observation.model.name': 'gpt-4o', ...question }

test('counts a span with a model and without usage, under every key that names a model', () => {
  const keys = attributesOf('provided_model_name').map(({ name }) => name)
  expect(keys.length).toBeGreaterThan(8)
  for (const key of keys) expect([key, chargedFor({ [key]: 'gpt-4o', ...question }) > 1200]).toEqual([key, true])
})

test.each([
  { 'gen_ai.usage.input_tokens': 7 },
  { 'gen_ai.usage.input_tokens': '7' },
  { 'gen_ai.usage.input_tokens': 7.5 },
  { 'llm.token_count.total': 7 },
  { 'svc.observation.usage_details': '{"input":7}' },
  { 'other.observation.usage_details': '{"input":7}' },
])('usage: %j', usage => {
  expect(chargedFor({ ...asked, ...usage })).toBe(0)
})

test('does not count spans of the Vercel AI SDK, which report their usage, or spans without a model', () => {
  expect(chargedFor({ 'ai.model.id': 'gpt-4o', ...question }, { scope: { name: 'ai' } })).toBe(0)
  expect(chargedFor(question)).toBe(0)
})

describe('values that resemble usage', () => {
  test.each<readonly [string, Values]>([
    ['an empty object', { 'svc.observation.usage_details': '{}' }],
    ['null', { 'svc.observation.usage_details': 'null' }],
    ['no JSON', { 'svc.observation.usage_details': '' }],
    ['no number', { 'gen_ai.usage.input_tokens': 'many' }],
    ['no number, of OpenInference', { 'llm.token_count.total': 'many' }],
    ['a cost', { 'gen_ai.usage.cost': 'free' }],
    ['a limit', { 'gen_ai.request.max_tokens': 100 }],
    ['a word', { usage: 7, token: 7, 'ai.usage.tokens': 7 }],
    ['usage of an agent', { 'gen_ai.aggregated_usage.input_tokens': 7 }],
  ])('%s', (_, values) => {
    const body = encodeTraceRequest(requestOf({ ...asked, ...values }))
    expect(tokenized(body)).toBe(1)
    expect(countedOf(body)).toBeGreaterThan(1200)
  })

  test('ignores usage of an event, of the resource, and of the scope', () => {
    const usage = { 'gen_ai.usage.input_tokens': 7 }
    const scope = { name: 'scope', attributes: attributes(usage) }
    for (const facts of [{ resource: usage }, { scope }, { span: { events: [{ name: 'e', attributes: attributes(usage) }] } }]) {
      expect(chargedFor(asked, facts)).toBeGreaterThan(1200)
    }
  })
})

const known = fc.constantFrom(...knownKeys, 'gen_ai.usage.x', 'llm.token_count.x', 'ai.usage.tokens', 'svc.metadata.x', 'usage', '')
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>({}, { stringValue: '' }, { stringValue: '{}' }, { stringValue: '{"input":"7"}' }, { stringValue: 'gpt-4o' }),
  fc.json().map(stringValue => ({ stringValue })),
  fc.string().map(stringValue => ({ stringValue })),
  fc.integer().map(intValue => ({ intValue })),
  fc.double().map(doubleValue => ({ doubleValue })),
  fc.boolean().map(boolValue => ({ boolValue })),
  fc.constantFrom<Value>({ arrayValue: { values: [] } }, { kvlistValue: { values: [] } }),
)
const scopeName = fc.constantFrom('scope', 'ai', 'genkit-tracer', 'gcp.vertex.agent', 'svc-sdk')

test('F26 · tokenizes only text that was charged, whatever the attributes', () => {
  let counted = 0
  fc.assert(
    fc.property(fc.array(fc.record({ key: known, value }), { maxLength: 5 }), scopeName, fc.boolean(), (some, name, first) => {
      const model = attributes(asked)
      const span = aSpan({ attributes: first ? [...model, ...some] : [...some, ...model] })
      const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ scope: { name }, spans: [span] }] }] })
      const times = tokenized(body)
      counted += times
      expect(times === 0 || countedOf(body) > 0).toBe(true)
    }),
    { numRuns: 500 },
  )
  expect(counted).toBeGreaterThan(50)
})

test('charges all text that may be counted, except spans whose tokens no record counts', () => {
  const span = aSpan(dearShapes['counted prose']!(100_000))
  const bodyOf = (...spans: (typeof span)[]) => encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  expect(countedOf(bodyOf(...Array(20).fill(span)))).toBeGreaterThan(2_000_000)
  expect(countedOf(bodyOf(aSpan(dearShapes['counted prose']!(countedRecordBytes))))).toBe(0)
})

test('does not count the nulls of a list with gaps, which is rebuilt from a few bytes', () => {
  const gaps = encodeTraceRequest(
    requestOf({ 'gen_ai.request.model': 'gpt-4o', 'gen_ai.prompt.9000.content': 'x', filling: 'x'.repeat(300) }),
  )
  expect(tokenized(gaps)).toBe(0)
  const messages = { 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'How far is it?' }
  expect(tokenized(encodeTraceRequest(requestOf({ 'gen_ai.request.model': 'gpt-4o', ...messages })))).toBe(1)
})

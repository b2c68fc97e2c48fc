// F26: whose tokens have to be counted is known from the keys, before anything is mapped.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { countedRecordBytes } from '@svc-server/otlp/work'
import { encodeTraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { dearShapes } from './dear-shapes.ts'
import { aSpan, receivedAtMs, requestOf } from './mapped-rows.ts'

const countedOf = (body: Uint8Array) => scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36 }).countedBytes
const question = { 'svc.observation.input': 'what is it? '.repeat(100) }

test.each(['gen_ai.request.model', 'svc.observation.model.name', 'llm.model_name', 'ai.model.id'])('a model and no usage: %s', model => {
  expect(countedOf(encodeTraceRequest(requestOf({ [model]: 'gpt-4o', ...question })))).toBeGreaterThan(1200)
})

test.each(['gen_ai.usage.input_tokens', 'svc.observation.usage_details', 'llm.token_count.total', 'ai.usage.tokens'])(
  'usage: %s',
  usage => {
    expect(countedOf(encodeTraceRequest(requestOf({ model: 'gpt-4o', [usage]: 7, ...question })))).toBe(0)
    expect(countedOf(encodeTraceRequest(requestOf({ [usage]: 7, ...question })))).toBe(0)
  },
)

test('no model, nothing; and only so much of a record as is counted', () => {
  expect(countedOf(encodeTraceRequest(requestOf(question)))).toBe(0)
  const span = aSpan(dearShapes['counted prose']!(100_000))
  const counted = countedOf(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: Array(20).fill(span) }] }] }))
  expect(counted).toBeGreaterThan(countedRecordBytes - 110_000)
  expect(counted).toBeLessThanOrEqual(countedRecordBytes)
})

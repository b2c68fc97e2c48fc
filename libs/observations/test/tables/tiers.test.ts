// A call's price depends on the tier that served the call.
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { encodeTraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { explainRequest } from '../../src/block/explain.ts'
import { receivedAtMs, requestOf } from '../mapped-rows.ts'
import type { Facts, Values } from './explained.ts'

const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })

function tierOf(values: Values, facts?: Facts): unknown {
  const call = { 'gen_ai.request.model': 'gpt-5', 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 }
  const request = encodeTraceRequest(requestOf({ ...call, ...values }, facts))
  return explainRequest(request, { nowMs: receivedAtMs }, { catalog }).spans[0]!.columns['usage_pricing_tier_name']!.value
}

test.each<[string, Values, string]>([
  ['asked for', { 'gen_ai.request.service_tier': 'flex' }, 'Flex'],
  ['asked for, of OpenAI', { 'gen_ai.openai.request.service_tier': 'priority' }, 'Priority'],
  ['served', { 'gen_ai.openai.response.service_tier': 'flex' }, 'Flex'],
  ['served otherwise than asked for', { 'openai.request.service_tier': 'priority', 'openai.response.service_tier': 'default' }, 'Standard'],
  ['parameter, served otherwise', { 'gen_ai.request.service_tier': 'flex', 'gen_ai.response.service_tier': 'default' }, 'Standard'],
  ['asked for any, served one', { 'gen_ai.request.service_tier': 'auto', 'gen_ai.openai.response.service_tier': 'priority' }, 'Priority'],
  [
    'in the answer that is kept whole',
    { 'llm.invocation_parameters': '{"service_tier":"priority"}', 'output.value': '{"id":"x","service_tier":"default","choices":[]}' },
    'Standard',
  ],
  ['said by nobody', {}, 'Standard'],
])('2.15 tier: %s', (_, values, tier) => {
  expect(tierOf(values)).toBe(tier)
})

test('2.15 tier: in the report of the Vercel AI SDK', () => {
  const report = JSON.stringify({ openai: { serviceTier: 'default' } })
  const values = { 'gen_ai.request.service_tier': 'flex', 'ai.response.providerMetadata': report }
  expect(tierOf(values, { scope: { name: 'ai' } })).toBe('Standard')
})

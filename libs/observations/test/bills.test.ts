// Every way to report a call must give the same cost as the provider's bill. Prices are in USD per million tokens, from the shipped price
// list.
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { encodeTraceRequest } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import {
  anthropic,
  anthropicCalls,
  bill,
  flash,
  gemini,
  geminiCalls,
  gpt,
  imageCalls,
  imageModels,
  images,
  openAi,
  openAiCalls,
  type Prices,
  pro,
  servedWays,
  sonnet,
  tokens,
} from './bill-ways.ts'
import { receivedAtMs, requestOf } from './mapped-rows.ts'
import { ownUsages, placesOfUsage } from './own-usages.ts'
import type { Facts, Values } from './tables/explained.ts'

const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })
const json = JSON.stringify

function rowOf(values: Values, facts?: Facts) {
  const { spans } = explainRequest(encodeTraceRequest(requestOf(values, facts)), { nowMs: receivedAtMs }, { catalog })
  const { columns } = spans[0]!
  const map = (name: string) =>
    Object.fromEntries(Object.entries(columns[name]!.value as object).map(([key, units]) => [key, Number(units)])) as Record<string, number>
  return { usage: map('usage_details'), cost: map('cost_details'), tier: columns['usage_pricing_tier_name']!.value }
}

describe.each([
  ['Anthropic', sonnet, anthropic, anthropicCalls],
  ['Gemini', flash, gemini, geminiCalls],
  ['Gemini, of another price', pro, gemini, geminiCalls],
  ['OpenAI', gpt, openAi, openAiCalls],
  ['images of OpenAI', imageModels[0]!, images, imageCalls],
  ['images of Gemini', imageModels[1]!, images, imageCalls],
] as const)('%s', (_, { model, prices }, ways, calls) => {
  test.each(Object.entries(ways))('%s', (_way, say) => {
    for (const call of calls) {
      for (const streamed of [{}, { 'gen_ai.request.stream': true, 'gen_ai.response.time_to_first_chunk': 0.4 }]) {
        const [values, facts] = say(call)
        const { usage, cost } = rowOf({ 'gen_ai.request.model': model, ...values, ...streamed }, facts)
        const { total, ...parts } = usage
        expect([call, total]).toEqual([call, tokens(call)])
        expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(total)
        expect([call, cost['total']]).toEqual([call, expect.closeTo(bill(call, prices), 12)])
      }
    }
  })
})

describe.each(Object.entries(ownUsages))('the usage of %s', (_, { model = gpt.model, usage: reported, total: wanted, bill: cost }) => {
  test.each(Object.entries(placesOfUsage))('%s', (_place, put) => {
    const row = rowOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, ...put(reported) })
    const { total, ...parts } = row.usage
    expect(total).toBe(wanted)
    expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(total)
    expect(row.cost['total']).toBeCloseTo(cost, 12)
  })
})

describe('a call in the long context has the long-context prices in every form of report', () => {
  const long = { input: 150_000, output: 500, read: 100_000 }
  test.each([
    ['Anthropic', sonnet.model, anthropic, { input: 6, output: 22.5, read: 0.6 }],
    ['Gemini', pro.model, gemini, { input: 2.5, output: 15, read: 0.25 }],
  ] as const)('%s', (_, model, ways, prices) => {
    for (const [way, say] of Object.entries(ways)) {
      const [values, facts] = say(long)
      const { tier, cost } = rowOf({ 'gen_ai.request.model': model, ...values }, facts)
      expect([way, tier, cost['total']]).toEqual([way, 'Large context', expect.closeTo(bill(long, prices), 12)])
    }
  })
})

describe('a call is charged at the tier that served it', () => {
  const prices: Readonly<Record<string, readonly [string, Prices]>> = {
    default: ['Standard', { input: 1.25, output: 10, read: 0.125 }],
    flex: ['Flex', { input: 0.625, output: 5, read: 0.0625 }],
    priority: ['Priority', { input: 2.5, output: 20, read: 0.25 }],
  }
  const call = { input: 200, output: 50, read: 800 }
  test.each(Object.entries(servedWays))('%s', (_, served) => {
    for (const [said, [name, ofTier]] of Object.entries(prices)) {
      for (const [way, say] of Object.entries(openAi)) {
        const [values, facts] = say(call)
        const [tierValues, tierFacts] = served(said)
        // The mapping reads an SDK's attributes only in the scope of that SDK, so the usage and the tier must have the same scope.
        if (facts?.scope?.name !== tierFacts?.scope?.name) continue
        const row = rowOf({ 'gen_ai.request.model': gpt.model, ...values, ...tierValues }, facts)
        expect([way, said, row.tier, row.cost['total']]).toEqual([way, said, name, expect.closeTo(bill(call, ofTier), 12)])
      }
    }
  })
})

describe('tiers', () => {
  test('a breakdown of the input does not lift a call into the long context, but more input does', () => {
    const say = (input: number) => ({
      'gen_ai.request.model': 'gemini-2.5-pro',
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': 1000,
      'gen_ai.usage.details.text_prompt_tokens': input,
    })
    expect(rowOf(say(110_000))).toMatchObject({ tier: 'Standard', usage: { total: 111_000 } })
    expect(rowOf(say(110_000)).cost['total']).toBeCloseTo(0.1475, 12)
    expect(rowOf(say(210_000))).toMatchObject({ tier: 'Large context' })
    expect(rowOf(say(210_000)).cost['total']).toBeCloseTo((210_000 * 2.5 + 1000 * 15) / 1e6, 12)
  })
})

describe('the AI SDK with the report of a provider', () => {
  const said = (input: number, output: number, total: number, cached: number): Values => ({
    'ai.usage.inputTokens': input,
    'ai.usage.outputTokens': output,
    'ai.usage.totalTokens': total,
    'ai.usage.cachedInputTokens': cached,
  })
  const lifetimes = [
    { ttl: '5m', inputTokens: 1500 },
    { ttl: '1h', inputTokens: 500 },
  ]
  test.each<[string, string, Values, unknown, number, number]>([
    [
      'Bedrock’s cache writes by lifetime',
      'claude-sonnet-4-5',
      { ...said(20, 100, 5120, 3000), 'ai.model.provider': 'amazon-bedrock' },
      { bedrock: { usage: { cacheWriteInputTokens: 2000, cacheDetails: lifetimes } } },
      5120,
      20 * 3 + 3000 * 0.3 + 1500 * 3.75 + 500 * 6 + 100 * 15,
    ],
    [
      'DeepSeek’s hits and misses',
      'gpt-5',
      said(1000, 100, 1100, 400),
      { deepseek: { promptCacheHitTokens: 400, promptCacheMissTokens: 600 } },
      1100,
      600 * 1.25 + 400 * 0.125 + 100 * 10,
    ],
    [
      'the tool tokens of Gemini',
      'gemini-2.5-flash',
      { ...said(1000, 100, 1350, 300), 'ai.usage.reasoningTokens': 200 },
      { google: { usageMetadata: { toolUsePromptTokenCount: 50, thoughtsTokenCount: 200, totalTokenCount: 1350 } } },
      1350,
      750 * 0.3 + 300 * 0.03 + 300 * 2.5,
    ],
    [
      'Perplexity’s own bill',
      'gpt-5',
      said(1000, 100, 1100, 0),
      { perplexity: { usage: { citationTokens: 19_028, numSearchQueries: 18 }, cost: { requestCost: 0.006, totalCost: 0.009 } } },
      1100,
      9000,
    ],
  ])('%s', (_, model, values, report, total, millionths) => {
    const row = rowOf({ 'gen_ai.request.model': model, ...values, 'ai.response.providerMetadata': json(report) }, { scope: { name: 'ai' } })
    expect(row.usage['total']).toBe(total)
    expect(row.cost['total']).toBeCloseTo(millionths / 1e6, 12)
  })
})

describe('reported money', () => {
  const counts = { 'gen_ai.request.model': 'gpt-5', 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 }
  test.each<[string, Values, number]>([
    ['in all', { 'gen_ai.usage.total_cost': 2 }, 2],
    ['with its parts', { 'gen_ai.usage.total_cost': 0.003, 'gen_ai.usage.input_cost': 0.002, 'gen_ai.usage.output_cost': 0.0005 }, 0.003],
    ['in parts', { 'gen_ai.usage.input_cost': 0.002, 'gen_ai.usage.output_cost': 0.0005, 'gen_ai.usage.cache_read_cost': 0.0001 }, 0.0026],
    ['of details only', { 'llm.cost.prompt_details.cache_read': 0.1, 'llm.cost.completion': 0.2 }, 0.3],
    [
      'a part of a whole that is said',
      { 'llm.cost.prompt': 0.3, 'llm.cost.prompt_details.cache_read': 0.1, 'llm.cost.completion': 0.2 },
      0.5,
    ],
    ['of a framework', { 'operation.cost': 0.0004 }, 0.0004],
    ['of a proxy', { 'llm.response.cost': '0.0004' }, 0.0004],
    ['nothing', { 'gen_ai.usage.cost': 0 }, 0],
  ])('%s', (_, said, total) => {
    const { usage, cost } = rowOf({ ...counts, ...said })
    expect(cost['total']).toBeCloseTo(total, 12)
    expect(usage).toEqual({ input: 1000, output: 100, total: 1100 })
  })
  test('reads the amount that OpenRouter charged from the AI SDK’s report', () => {
    const report = json({ openrouter: { usage: { promptTokens: 1000, completionTokens: 100, totalTokens: 1100, cost: 0.5 } } })
    expect(rowOf({ ...counts, 'ai.response.providerMetadata': report }, { scope: { name: 'ai' } }).cost['total']).toBe(0.5)
  })
  test('what OpenRouter paid to the provider is not added to what it charged', () => {
    const report = json({ openrouter: { usage: { totalTokens: 1100, cost: 0.0006, costDetails: { upstreamInferenceCost: 0.0123 } } } })
    expect(rowOf({ ...counts, 'ai.response.providerMetadata': report }, { scope: { name: 'ai' } }).cost['total']).toBe(0.0006)
  })
  test.each<[string, Values]>([
    ['in another currency', { 'gen_ai.usage': json({ cost: 5, currency: 'EUR' }) }],
    ['in the currency of the span', { 'gen_ai.usage': json({ cost: 5 }), 'gen_ai.usage.cost_currency': 'EUR' }],
    ['that is unknown', { 'gen_ai.usage': json({ cost: -1 }) }],
    ['in ticks', { 'gen_ai.usage': json({ cost_in_usd_ticks: 37_756_000 }) }],
  ])('money in a JSON usage is not a cost %s', (_, said) => {
    expect(rowOf({ ...counts, ...said }).cost['total']).toBeCloseTo((1000 * 1.25 + 100 * 10) / 1e6, 12)
  })
  test('a price per token and money in another currency are not a cost', () => {
    const { cost } = rowOf({ ...counts, 'gen_ai.usage.input_cost_per_token': 0.5, 'gen_ai.usage.cost_eur': 7 })
    expect(cost['total']).toBeCloseTo((1000 * 1.25 + 100 * 10) / 1e6, 12)
  })
})

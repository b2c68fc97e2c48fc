// What providers answer, as SDKs and instrumentations say it, against the provider's own bill. USD per million tokens of each kind, from the
// price list that ships; whatever the way of saying it, a call costs the same.
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogueSnapshot } from '@svc-server/pricing/snapshot'
import { encodeTraceRequest } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import { receivedAtMs, requestOf } from './mapped-rows.ts'
import type { Facts, Values } from './tables/explained.ts'

const catalogue = catalogueSnapshot({ models: shippedModels(), prompts: [] })
const json = JSON.stringify

function rowOf(values: Values, facts?: Facts) {
  const { spans } = explainRequest(encodeTraceRequest(requestOf(values, facts)), { nowMs: receivedAtMs }, { catalogue })
  const { columns } = spans[0]!
  const map = (name: string) =>
    Object.fromEntries(Object.entries(columns[name]!.value as object).map(([key, units]) => [key, Number(units)])) as Record<string, number>
  return { usage: map('usage_details'), cost: map('cost_details'), tier: columns['usage_pricing_tier_name']!.value }
}

/** Tokens of a call by what the provider charges for them. */
interface Call {
  readonly input: number
  readonly output: number
  readonly read?: number
  readonly written?: number
  readonly written1h?: number
  readonly reasoning?: number
  readonly heard?: number
}
type Prices = Readonly<Record<keyof Call, number>>

const sonnet = {
  model: 'claude-sonnet-4-5',
  prices: { input: 3, output: 15, read: 0.3, written: 3.75, written1h: 6, reasoning: 15, heard: 3 },
}
const pro = {
  model: 'gemini-2.5-pro',
  prices: { input: 1.25, output: 10, read: 0.125, written: 1.25, written1h: 1.25, reasoning: 10, heard: 1.25 },
}
const flash = {
  model: 'gemini-2.5-flash',
  prices: { input: 0.3, output: 2.5, read: 0.03, written: 0.3, written1h: 0.3, reasoning: 2.5, heard: 1 },
}
const gpt = { model: 'gpt-5', prices: { input: 1.25, output: 10, read: 0.125, written: 1.25, written1h: 1.25, reasoning: 10, heard: 1.25 } }

const bill = (call: Call, prices: Prices): number =>
  Object.entries(call).reduce((sum, [kind, tokens]) => sum + tokens * prices[kind as keyof Call], 0) / 1e6
const tokens = (call: Call): number => Object.values(call).reduce((sum: number, count: number) => sum + count, 0)

/** Ways to say a call: of Anthropic, where input is what was neither read nor written. */
const anthropic: Readonly<Record<string, (call: Call) => readonly [Values, Facts?]>> = {
  conventions: ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.usage.input_tokens': input + read + written,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': read,
      'gen_ai.usage.cache_creation.input_tokens': written,
    },
  ],
  OpenInference: ({ input, output, read = 0, written = 0 }) => [
    {
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': input + read + written,
      'llm.token_count.completion': output,
      'llm.token_count.total': input + read + written + output,
      'llm.token_count.prompt_details.cache_read': read,
      'llm.token_count.prompt_details.cache_write': written,
    },
  ],
  'the cache beside the input, with a total': ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read_input_tokens': read,
      'gen_ai.usage.cache_write_input_tokens': written,
      'gen_ai.usage.total_tokens': input + read + written + output,
    },
  ],
  'Pydantic AI, with the provider’s own counts as details': ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read + written,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.details.input_tokens': input,
      'gen_ai.usage.details.output_tokens': output,
      'gen_ai.usage.details.cache_read_input_tokens': read,
      'gen_ai.usage.details.cache_creation_input_tokens': written,
    },
    { scope: { name: 'pydantic-ai' } },
  ],
  'AI SDK 4': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.usage.promptTokens': input,
      'ai.usage.completionTokens': output,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'ai.response.providerMetadata': json({ anthropic: { cacheReadInputTokens: read, cacheCreationInputTokens: written } }),
    },
    { scope: { name: 'ai' } },
  ],
  'AI SDK 5': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.usage.inputTokens': input,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + output,
      'ai.usage.cachedInputTokens': read,
      'ai.response.providerMetadata': json({
        anthropic: { usage: { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } },
      }),
    },
    { scope: { name: 'ai' } },
  ],
  'AI SDK 6': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.usage.inputTokens': input + read + written,
      'ai.usage.inputTokenDetails.noCacheTokens': input,
      'ai.usage.inputTokenDetails.cacheReadTokens': read,
      'ai.usage.inputTokenDetails.cacheWriteTokens': written,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + read + written + output,
      'ai.response.providerMetadata': json({ anthropic: { usage: { input_tokens: input, cache_read_input_tokens: read } } }),
    },
    { scope: { name: 'ai' } },
  ],
  'Bedrock’s Converse, as JSON below the prefix': ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.usage.details': json({
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + read + written + output,
        cacheReadInputTokens: read,
        cacheWriteInputTokens: written,
      }),
    },
  ],
}
const anthropicCalls: readonly Call[] = [
  { input: 512, output: 40 },
  { input: 5000, output: 40, read: 2000, written: 1000 },
  { input: 12, output: 40, read: 20_000, written: 0 },
]

const gemini: Readonly<Record<string, (call: Call) => readonly [Values, Facts?]>> = {
  'ADK: the answer that is kept whole': ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'gcp.vertex.agent.llm_response': json({
        usage_metadata: {
          prompt_token_count: input + read + heard,
          candidates_token_count: output,
          thoughts_token_count: reasoning,
          cached_content_token_count: read,
          total_token_count: input + read + heard + output + reasoning,
          prompt_tokens_details: [
            { modality: 'TEXT', token_count: input + read },
            { modality: 'AUDIO', token_count: heard },
          ],
        },
      }),
    },
    { scope: { name: 'gcp.vertex.agent' } },
  ],
  'Pydantic AI: thoughts are output': ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read + heard,
      'gen_ai.usage.output_tokens': output + reasoning,
      'gen_ai.usage.cache_read.input_tokens': read,
      'gen_ai.usage.details.text_prompt_tokens': input + read,
      'gen_ai.usage.details.audio_prompt_tokens': heard,
      'gen_ai.usage.details.thoughts_tokens': reasoning,
      'gen_ai.usage.details.text_candidates_tokens': output,
    },
  ],
  'AI SDK 5: thoughts are beside': ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'ai.usage.inputTokens': input + read + heard,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + read + heard + output + reasoning,
      'ai.usage.cachedInputTokens': read,
      'ai.usage.reasoningTokens': reasoning,
      'ai.response.providerMetadata': json({
        google: { usageMetadata: { promptTokensDetails: [{ modality: 'AUDIO', tokenCount: heard }] } },
      }),
    },
    { scope: { name: 'ai' } },
  ],
  Genkit: ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'genkit:output': json({
        usage: {
          inputTokens: input + read + heard,
          outputTokens: output,
          thoughtsTokens: reasoning,
          cachedContentTokens: read,
          totalTokens: input + read + heard + output + reasoning,
          inputTokenDetails: { audioTokens: heard },
          inputCharacters: 4000,
        },
      }),
    },
    { scope: { name: 'genkit-tracer' } },
  ],
}
const geminiCalls: readonly Call[] = [
  { input: 1000, output: 50 },
  { input: 1000, output: 50, reasoning: 400 },
  { input: 1000, output: 500, read: 300, reasoning: 100 },
  { input: 200, output: 500, heard: 800, read: 100 },
]

const openAi: Readonly<Record<string, (call: Call) => readonly [Values, Facts?]>> = {
  conventions: ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read,
      'gen_ai.usage.output_tokens': output + reasoning,
      'gen_ai.usage.cache_read.input_tokens': read,
      'gen_ai.usage.reasoning.output_tokens': reasoning,
    },
  ],
  'the answer’s usage, flat': ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'llm.usage.prompt_tokens': input + read,
      'llm.usage.completion_tokens': output + reasoning,
      'llm.usage.total_tokens': input + read + output + reasoning,
      'llm.usage.prompt_tokens_details.cached_tokens': read,
      'llm.usage.completion_tokens_details.reasoning_tokens': reasoning,
      'llm.usage.completion_tokens_details.rejected_prediction_tokens': 0,
    },
  ],
  'OpenRouter’s broadcast': ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read,
      'gen_ai.usage.input_tokens.cached': read,
      'gen_ai.usage.output_tokens': output + reasoning,
      'gen_ai.usage.output_tokens.reasoning': reasoning,
      'gen_ai.usage.input_tokens.audio': 0,
    },
  ],
  'AI SDK 6': ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'ai.usage.inputTokens': input + read,
      'ai.usage.inputTokenDetails.cacheReadTokens': read,
      'ai.usage.outputTokens': output + reasoning,
      'ai.usage.outputTokenDetails.textTokens': output,
      'ai.usage.outputTokenDetails.reasoningTokens': reasoning,
      'ai.response.providerMetadata': json({ openai: { responseId: 'r', serviceTier: 'default' } }),
    },
    { scope: { name: 'ai' } },
  ],
  MLflow: ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'mlflow.chat.tokenUsage': json({
        input_tokens: input + read,
        output_tokens: output + reasoning,
        total_tokens: input + read + output + reasoning,
        cache_read_input_tokens: read,
      }),
    },
  ],
}
const openAiCalls: readonly Call[] = [
  { input: 1000, output: 50 },
  { input: 200, output: 50, read: 800, reasoning: 640 },
]

describe.each([
  ['Anthropic', sonnet, anthropic, anthropicCalls],
  ['Gemini', flash, gemini, geminiCalls],
  ['Gemini, of another price', pro, gemini, geminiCalls],
  ['OpenAI', gpt, openAi, openAiCalls],
] as const)('%s', (_, { model, prices }, ways, calls) => {
  test.each(Object.entries(ways))('%s', (_way, say) => {
    for (const call of calls) {
      for (const streamed of [{}, { 'gen_ai.request.stream': true, 'gen_ai.response.time_to_first_chunk': 0.4 }]) {
        const [values, facts] = say(call)
        const { usage, cost } = rowOf({ 'gen_ai.request.model': model, ...values, ...streamed }, facts)
        const { total, ...parts } = usage
        expect([call, total]).toEqual([call, tokens(call)])
        expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(total)
        expect(cost['total']).toBeCloseTo(bill(call, prices), 12)
      }
    }
  })
})

describe('tiers', () => {
  test('a breakdown of the input does not lift a call into the long context; more of it does', () => {
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

describe('money that is said', () => {
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
  test('what OpenRouter charged, in the report of the AI SDK', () => {
    const report = json({ openrouter: { usage: { promptTokens: 1000, completionTokens: 100, totalTokens: 1100, cost: 0.5 } } })
    expect(rowOf({ ...counts, 'ai.response.providerMetadata': report }, { scope: { name: 'ai' } }).cost['total']).toBe(0.5)
  })
  test('a price of one token, and money of another currency, are no cost', () => {
    const { cost } = rowOf({ ...counts, 'gen_ai.usage.input_cost_per_token': 0.5, 'gen_ai.usage.cost_eur': 7 })
    expect(cost['total']).toBeCloseTo((1000 * 1.25 + 100 * 10) / 1e6, 12)
  })
})

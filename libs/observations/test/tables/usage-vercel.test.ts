import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const counts = (value: unknown) => Object.fromEntries(Object.entries(value as object).map(([name, units]) => [name, Number(units)]))
const provided = (values: Values, facts?: Facts) => counts(map(values, facts)['provided_usage_details'])
const usage = (values: Values, facts?: Facts) => counts(map(values, facts)['usage_details'])
const scope = (name: string): Facts => ({ scope: { name } })

describe('2.10 Vercel AI SDK', () => {
  const ai = (values: Values) => provided(values, scope('ai'))
  const report = (value: unknown) => JSON.stringify(value)

  test.each([
    ['prompt_tokens', 'completion_tokens'],
    ['input_tokens', 'output_tokens'],
  ])('2.10 gen_ai.usage.%s and %s', (input, output) => {
    expect(ai({ [`gen_ai.usage.${input}`]: 5, [`gen_ai.usage.${output}`]: 6 })).toEqual({ input: 5, output: 6 })
  })
  test('2.15 the larger of prompt_tokens and input_tokens wins', () => {
    expect(ai({ 'gen_ai.usage.prompt_tokens': 5, 'gen_ai.usage.input_tokens': 9 })['input']).toBe(9)
  })
  test('2.10 input and output are always present', () => {
    expect(usage({}, scope('ai'))).toEqual({ input: 0, output: 0, total: 0 })
  })
  test('2.10 total, cached and reasoning', () => {
    const values = {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 50,
      'ai.usage.tokens': 150,
      'ai.usage.cachedInputTokens': 40,
      'ai.usage.reasoningTokens': 10,
    }
    expect(ai(values)).toEqual({ input: 60, output: 40, total: 150, input_cached_tokens: 40, output_reasoning_tokens: 10 })
  })
  test('2.10 openai’s report fills in missing counts', () => {
    const openai = { cachedPromptTokens: 40, reasoningTokens: 10, acceptedPredictionTokens: 2, rejectedPredictionTokens: 1 }
    const values = {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 50,
      'ai.usage.cachedInputTokens': 30,
      'ai.response.providerMetadata': report({ openai }),
    }
    expect(ai(values)).toEqual({
      input: 70,
      output: 37,
      input_cached_tokens: 30,
      output_reasoning_tokens: 10,
      output_accepted_prediction_tokens: 2,
      output_rejected_prediction_tokens: 1,
    })
  })
  test('2.15 anthropic’s report with cache writes by age, counted beside the input', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 3 }
    const anthropic = { usage: { cache_creation_input_tokens: 10, cache_read_input_tokens: 20, cache_creation } }
    expect(ai({ 'gen_ai.usage.input_tokens': 100, 'ai.response.providerMetadata': report({ anthropic }) })).toEqual({
      input: 100,
      output: 0,
      input_cached_tokens: 20,
      input_cache_creation: 1,
      input_cache_creation_5m: 6,
      input_cache_creation_1h: 3,
    })
  })
  test('2.10 anthropic’s report without ages', () => {
    const anthropic = { usage: { cache_creation_input_tokens: 10 } }
    expect(ai({ 'gen_ai.usage.input_tokens': 100, 'ai.response.providerMetadata': report({ anthropic }) })).toEqual({
      input: 100,
      output: 0,
      input_cache_creation: 10,
    })
  })
  test('2.10 bedrock’s report', () => {
    const bedrock = { usage: { cacheReadInputTokens: 5, cacheWriteInputTokens: 6, cacheCreationInputTokens: 7 } }
    expect(ai({ 'gen_ai.usage.input_tokens': 100, 'ai.response.providerMetadata': report({ bedrock }) })).toEqual({
      input: 88,
      output: 0,
      input_cached_tokens: 5,
      input_cache_creation: 7,
    })
  })
  test('2.10 counts are leading integers', () => {
    expect(ai({ 'gen_ai.usage.input_tokens': '12.7', 'gen_ai.usage.output_tokens': 3.9, 'ai.usage.tokens': 'x' })).toEqual({
      input: 12,
      output: 3,
    })
  })
  test('2.10 a report with invalid JSON leaves the generic counts', () => {
    expect(ai({ 'gen_ai.usage.output_tokens': 5, 'ai.response.providerMetadata': '{' })).toEqual({ output: 5 })
  })
  test('legacy keys, with details', () => {
    expect(
      ai({
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.usage.inputTokens': 100,
        'ai.usage.outputTokens': 50,
        'ai.usage.totalTokens': 150,
        'ai.usage.inputTokenDetails.cacheReadTokens': 40,
        'ai.usage.inputTokenDetails.noCacheTokens': 60,
        'ai.usage.outputTokenDetails.reasoningTokens': 10,
        'ai.usage.outputTokenDetails.textTokens': 40,
      }),
    ).toEqual({ input: 60, output: 40, total: 150, input_cached_tokens: 40, output_reasoning_tokens: 10 })
  })
  test.each(['ai.generateText', 'ai.streamText', 'ai.generateObject', 'ai.streamObject', 'ai.embed', 'ai.embedMany'])(
    'the outer span %s repeats the model’s own span, so its keys do not count',
    operation => {
      expect(ai({ 'ai.operationId': operation, 'ai.usage.inputTokens': 100, 'ai.usage.tokens': 5 })).toEqual({ input: 0, output: 0 })
    },
  )
  const anthropic = { usage: { input_tokens: 9, cache_creation_input_tokens: 10, cache_read_input_tokens: 20 } }
  const everything = {
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.completion_tokens': 7,
    'ai.usage.promptTokens': 100,
    'ai.usage.cachedInputTokens': 20,
    'ai.usage.reasoningTokens': 3,
    'ai.usage.inputTokenDetails.cacheWriteTokens': 10,
    'ai.response.providerMetadata': report({
      anthropic,
      openai: { cachedPromptTokens: 3 },
      bedrock: { usage: { cacheReadInputTokens: 5 } },
    }),
  }
  test.each<[string, Values]>([
    ['of the newest SDK', { 'ai.operationId': 'ai.generateText' }],
    ['of one that has only an operation name', { 'operation.name': 'ai.streamText' }],
    ['with the name of a function', { 'operation.name': 'ai.generateObject my function' }],
    ['of an operation that is new', { 'ai.operationId': 'ai.rerank' }],
    ['of a tool', { 'ai.operationId': 'ai.toolCall' }],
    ['with a report that is not JSON', { 'ai.operationId': 'ai.generateText', 'ai.response.providerMetadata': '{' }],
  ])('real clients 9: an outer span has no usage: %s', (_, values) => {
    expect(ai({ ...everything, ...values })).toEqual({ input: 0, output: 0 })
    expect(ai({ ...everything, ...values, 'svc.observation.usage_details': '{"input":1}' })).toEqual({ input: 1 })
  })
  test.each<[string, Values]>([
    ['', { 'ai.operationId': 'ai.generateText.doGenerate' }],
    [', of one that has only an operation name', { 'operation.name': 'ai.streamText.doStream my function' }],
    [', without an operation', {}],
  ])('the model’s own span counts%s', (_, values) => {
    expect(ai({ ...everything, ...values })).toMatchObject({ input: 70, output: 4, input_cached_tokens: 20, input_cache_creation: 10 })
  })
  test('ignores a report that is null', () => {
    expect(ai({ 'gen_ai.usage.input_tokens': 5, 'ai.usage.outputTokens': 6, 'ai.response.providerMetadata': 'null' })).toEqual({
      input: 5,
      output: 6,
    })
  })
  test('cache counts in attributes are not counted again from bedrock’s report', () => {
    const bedrock = { usage: { cacheReadInputTokens: 20, cacheWriteInputTokens: 10 } }
    const values = {
      'gen_ai.usage.input_tokens': 100,
      'ai.usage.cachedInputTokens': 20,
      'ai.usage.inputTokenDetails.cacheWriteTokens': 10,
      'ai.response.providerMetadata': report({ bedrock }),
    }
    expect(ai(values)).toEqual({ input: 70, output: 0, input_cached_tokens: 20, input_cache_creation: 10 })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const counts = (value: unknown) => Object.fromEntries(Object.entries(value as object).map(([name, units]) => [name, Number(units)]))
const provided = (values: Values, facts?: Facts) => counts(map(values, facts)['provided_usage_details'])
const usage = (values: Values, facts?: Facts) => counts(map(values, facts)['usage_details'])
const scope = (name: string): Facts => ({ scope: { name } })

describe('2.10 sources in order', () => {
  const generic = { 'gen_ai.usage.input_tokens': 900 }

  test('2.10 row 1 svc.observation.usage_details before everything', () => {
    const values = { 'svc.observation.usage_details': '{"input":1,"custom":"2"}', ...generic }
    expect(provided(values)).toEqual({ input: 1, custom: 2 })
    expect(usage(values)).toEqual({ input: 1, custom: 2, total: 3 })
    expect(map(values).explained.columns['usage_details']).toMatchObject({
      rule: 'svc.observation.usage_details',
      attributes: ['svc.observation.usage_details'],
    })
  })
  test.each([
    ['no object', '[1]'],
    ['a number', '5'],
    ['an empty object', '{}'],
  ])('2.10 row 1 %s means that there is no usage', (_, text) => {
    expect(provided({ 'svc.observation.usage_details': text, ...generic })).toEqual({})
  })
  test('2.10 row 1 a value other than text means that there is no usage', () => {
    expect(provided({ 'svc.observation.usage_details': 5, ...generic })).toEqual({})
  })
  test('2.10 row 1 invalid JSON leaves the decision to the next rule', () => {
    expect(provided({ 'svc.observation.usage_details': '{nope', ...generic })).toEqual({ input: 900 })
  })

  test('2.10 row 2 Genkit', () => {
    const output = JSON.stringify({ usage: { inputTokens: 10, outputTokens: 7, totalTokens: 17, thoughtsTokens: 3 } })
    expect(provided({ 'genkit:output': output, ...generic }, scope('genkit-tracer'))).toEqual({
      input: 10,
      output: 4,
      total: 17,
      output_reasoning_tokens: 3,
    })
    expect(provided({ 'genkit:output': output }, scope('other'))).toEqual({})
  })
  test('2.10 row 4 pydantic-ai: the generic counts', () => {
    expect(provided(generic, scope('pydantic-ai'))).toEqual({ input: 900 })
  })
  test('2.10 row 5 both prefixes, but no cost', () => {
    expect(provided({ 'llm.token_count.prompt': 5, 'gen_ai.usage.output_tokens': 6, 'gen_ai.usage.cost': 7 })).toEqual({
      input: 5,
      output: 6,
    })
  })
  test('2.10 row 6 gcp.vertex.agent: cached tokens from the response', () => {
    const response = '{"usage_metadata":{"cached_content_token_count":30}}'
    const values = { 'gen_ai.usage.input_tokens': 100, 'gcp.vertex.agent.llm_response': response }
    expect(provided(values, scope('gcp.vertex.agent'))).toEqual({ input: 70, input_cached_tokens: 30 })
    expect(provided({ ...values, 'gen_ai.usage.cache_read.input_tokens': 5 }, scope('gcp.vertex.agent'))).toEqual({
      input: 95,
      input_cached_tokens: 5,
    })
  })
  test('2.10 row 6 cached tokens alone are usage', () => {
    const vertex = (count: unknown, more: Values = {}) =>
      provided(
        { 'gcp.vertex.agent.llm_response': JSON.stringify({ usage_metadata: { cached_content_token_count: count } }), ...more },
        scope('gcp.vertex.agent'),
      )
    expect(vertex(30)).toEqual({ input_cached_tokens: 30 })
    expect(vertex(0)).toEqual({ input_cached_tokens: 0 })
    expect(vertex(null)).toEqual({})
    expect(vertex(30, { 'gen_ai.usage.output_tokens': 4 })).toEqual({ input_cached_tokens: 30, output: 4 })
    expect(vertex(30, { 'gen_ai.usage.input_tokens': 'many' })).toEqual({ input_cached_tokens: 30 })
  })
  test.each([
    ['inputTokens', { input: 5 }],
    ['outputTokens', { output: 5 }],
    ['totalTokens', { total: 5 }],
    ['thoughtsTokens', { output_reasoning_tokens: 5 }],
  ])('2.10 row 2 Genkit with %s alone', (name, expected) => {
    expect(provided({ 'genkit:output': JSON.stringify({ usage: { [name]: 5 } }) }, scope('genkit-tracer'))).toEqual(expected)
  })
  test('2.15 Genkit with counts under the provider’s names', () => {
    const output = { usage: { inputTokens: 20, outputTokens: 5, custom: { cache_read_input_tokens: 300, input_tokens: 99 } } }
    expect(provided({ 'genkit:output': JSON.stringify(output) }, scope('genkit-tracer'))).toEqual({
      input: 20,
      input_cached_tokens: 300,
      output: 5,
    })
  })
})

const spellings: Readonly<Record<string, readonly string[]>> = {
  input: ['prompt_tokens', 'input_tokens', 'prompt', 'input', 'inputTokens', 'promptTokenCount', 'details.input_tokens'],
  output: ['completion_tokens', 'output_tokens', 'completion', 'candidates_token_count', 'response_tokens', 'experimental.output-tokens'],
  total: ['total_tokens', 'total', 'tokens', 'totalTokenCount'],
  input_cached_tokens: [
    'cache_read.input_tokens',
    'cache_read_input_tokens',
    'cache_read_tokens',
    'details.cache_read_tokens',
    'details.cache_read_input_tokens',
    'prompt_details.cache_read',
    'input_cached_tokens',
    'input_tokens.cached',
    'prompt_tokens_details.cached_tokens',
    'cachedContentTokenCount',
    'prompt_cache_hit_tokens',
  ],
  input_cache_creation: [
    'cache_creation.input_tokens',
    'cache_creation_input_tokens',
    'cache_write_tokens',
    'details.cache_write_tokens',
    'details.cache_creation_input_tokens',
    'prompt_details.cache_write',
    'input_cache_creation',
    'input_tokens.cache_write',
    'cacheWriteInputTokens',
  ],
  input_cache_creation_1h: ['cache_creation.ephemeral_1h_input_tokens', 'ephemeral1hInputTokens'],
  output_reasoning_tokens: [
    'reasoning.output_tokens',
    'completion_details.reasoning',
    'reasoning_tokens',
    'details.reasoning_tokens',
    'thoughtsTokenCount',
    'details.thinking',
    'output_tokens.reasoning',
  ],
  output_audio_tokens: ['completion_details.audio', 'details.audio_tokens', 'audio_candidates_tokens'],
  input_audio_tokens: ['prompt_details.audio', 'details.audio_prompt_tokens', 'input_tokens.audio'],
  input_cached_audio_tokens: ['details.audio_cache_tokens', 'prompt_tokens_details.cached_tokens_details.audio_tokens'],
  input_image_tokens: ['image_tokens', 'details.imageTokens', 'promptTokensDetails.IMAGE'],
  input_tool_tokens: ['toolUsePromptTokenCount', 'toolUsePromptTokensDetails.TEXT'],
  output_accepted_prediction_tokens: ['details.accepted_prediction_tokens', 'completion_tokens_details.accepted_prediction_tokens'],
  output_rejected_prediction_tokens: ['details.rejected_prediction_tokens'],
}

describe('2.10 generic normalization', () => {
  const cases = Object.entries(spellings).flatMap(([key, names]) => names.map(name => [name, key] as const))

  test.each(cases)('2.10 gen_ai.usage.%s is %s', (alias, bucket) => {
    expect(provided({ [`gen_ai.usage.${alias}`]: 5 })).toEqual({ [bucket]: 5 })
  })
  test.each(cases)('2.10 llm.token_count.%s is %s', (alias, bucket) => {
    expect(provided({ [`llm.token_count.${alias}`]: 5 })).toEqual({ [bucket]: 5 })
  })
  test.each(Object.entries(spellings))('2.15 a count under several names is counted once, and the larger one wins: %s', (key, names) => {
    const values = Object.fromEntries(names.map((name, i) => [`gen_ai.usage.${name}`, i * 10]))
    expect(provided(values)).toEqual({ [key]: (names.length - 1) * 10 })
  })
  test('2.10 input excludes tokens read from or written to the cache', () => {
    const values = { 'gen_ai.usage.prompt_tokens': 100, 'gen_ai.usage.cache_read_tokens': 30, 'gen_ai.usage.cache_write_tokens': 20 }
    expect(provided(values)).toEqual({ input: 50, input_cached_tokens: 30, input_cache_creation: 20 })
  })
  test('2.10 output excludes reasoning and audio', () => {
    const values = {
      'llm.token_count.completion': 100,
      'llm.token_count.completion_details.reasoning': 30,
      'llm.token_count.completion_details.audio': 20,
    }
    expect(provided(values)).toEqual({ output: 50, output_reasoning_tokens: 30, output_audio_tokens: 20 })
  })
  test('2.15 cached tokens that exceed the input are counted beside it', () => {
    expect(provided({ 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read_tokens': 30 })).toEqual({
      input: 10,
      input_cached_tokens: 30,
    })
  })
  test('2.10 a detail alone implies no whole', () => {
    expect(provided({ 'gen_ai.usage.cache_read_tokens': 30 })).toEqual({ input_cached_tokens: 30 })
  })
  test('2.15 names that are not understood are not usage and stay in the metadata', () => {
    const names = [
      ...['server_tool_use', 'details.system_prompt_tokens', 'input_characters', 'cache_hits', 'candidates_count', 'input_images'],
      ...['citation_tokens', 'billed_units.search_units', 'billed_units.classifications', 'audio_total_tokens', 'flex_tokens'],
    ]
    const values = Object.fromEntries(names.map(name => [`gen_ai.usage.${name}`, 2]))
    expect(provided({ ...values, 'gen_ai.usage.input_tokens': 5 })).toEqual({ input: 5 })
    const kept = Object.fromEntries(names.map(name => [`attributes.gen_ai.usage.${name}`, '2']))
    expect(map(values, scope('svc-sdk')).metadata).toMatchObject(kept)
    expect(map(values).metadata).toMatchObject(kept)
  })
  test('2.15 limits, budgets and ratios are not usage', () => {
    const names = ['reasoning_tokens_limit', 'max_output_tokens', 'thinking_budget', 'remaining_tokens', 'cached_input_tokens_ratio']
    expect(provided(Object.fromEntries(names.map(name => [`gen_ai.usage.${name}`, 24_576])))).toEqual({})
  })
  test('2.10 numeric text is a count, empty text and false are 0, true is 1, and other text is omitted', () => {
    expect(
      provided({
        'gen_ai.usage.input_tokens': '12',
        'gen_ai.usage.output_tokens': '',
        'gen_ai.usage.reasoning_tokens': false,
        'gen_ai.usage.cache_read': true,
        'gen_ai.usage.cache_write': 'many',
      }),
    ).toEqual({ input: 11, output: 0, output_reasoning_tokens: 0, input_cached_tokens: 1 })
  })
  test('2.10 omits fractions and negative values', () => {
    const values = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read_tokens': 0.5, 'gen_ai.usage.output_tokens': -1 }
    expect(provided(values)).toEqual({ input: 10 })
    expect(map(values).metadata).toMatchObject({ 'attributes.gen_ai.usage.cache_read_tokens': '0.5' })
  })
  test('appendix C chat span with cache and reasoning', () => {
    const values = {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 40,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.reasoning.output_tokens': 10,
    }
    expect(usage(values)).toEqual({ input: 60, input_cached_tokens: 40, output: 20, output_reasoning_tokens: 10, total: 130 })
  })
  test('appendix G usage above UInt64 stays in the metadata and does not reject the span', () => {
    const row = map({ 'gen_ai.usage.input_tokens': '1e30', 'gen_ai.usage.output_tokens': 3 })
    expect(counts(row['usage_details'])).toEqual({ output: 3, total: 3 })
    expect(row.metadata['attributes.gen_ai.usage.input_tokens']).toBe('1e30')
  })
  test('the whole range of UInt64 is exact', () => {
    const row = map({ 'gen_ai.usage.input_tokens': 9_223_372_036_854_775_807n, 'gen_ai.usage.output_tokens': '18446744073709551615' })
    expect(String((row['provided_usage_details'] as Record<string, unknown>)['input'])).toBe('9223372036854775807')
    expect(String((row['provided_usage_details'] as Record<string, unknown>)['output'])).toBe('18446744073709551615')
  })
})

describe('keys of real clients', () => {
  test('openllmetry: reasoning_tokens', () => {
    expect(provided({ 'gen_ai.usage.output_tokens': 30, 'gen_ai.usage.reasoning_tokens': 10 })).toEqual({
      output: 20,
      output_reasoning_tokens: 10,
    })
  })
  test('pydantic-ai: details', () => {
    const details = { reasoning: 10, audio: 5, accepted_prediction: 2, rejected_prediction: 1 }
    const values = Object.fromEntries(Object.entries(details).map(([name, n]) => [`gen_ai.usage.details.${name}_tokens`, n]))
    expect(provided({ 'gen_ai.usage.output_tokens': 30, ...values })).toEqual({
      output: 12,
      output_reasoning_tokens: 10,
      output_audio_tokens: 5,
      output_accepted_prediction_tokens: 2,
      output_rejected_prediction_tokens: 1,
    })
  })
  test('pydantic-ai: an agent’s aggregated_usage repeats its children', () => {
    expect(provided({ 'gen_ai.aggregated_usage.input_tokens': 900 }, scope('pydantic-ai'))).toEqual({})
  })
  test('openinference: audio of the prompt', () => {
    expect(provided({ 'llm.token_count.prompt': 100, 'llm.token_count.prompt_details.audio': 40 })).toEqual({
      input: 60,
      input_audio_tokens: 40,
    })
  })
  test.each(['invoke_agent', 'agent_step'])('an agent’s span (%s) has no usage', operation => {
    const values = { 'gen_ai.operation.name': operation, 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.cost': 1 }
    expect(map(values)).toMatchObject({ provided_usage_details: {}, usage_details: {}, cost_details: {}, provided_model_name: '' })
  })
  test('keeps the usage that the SDK reports for an agent’s span', () => {
    const values = { 'gen_ai.operation.name': 'invoke_agent', 'svc.observation.usage_details': '{"input":5}' }
    expect(map(values, scope('svc-sdk')).metadata['attributes.svc.observation.usage_details']).toBe('{"input":5}')
  })
})

describe('2.10 shapes of OpenAI', () => {
  const details = (value: unknown) => provided({ 'svc.observation.usage_details': JSON.stringify(value) })

  test.each([
    ['completion', 'prompt_tokens', 'completion_tokens'],
    ['response', 'input_tokens', 'output_tokens'],
  ])('2.10 %s', (_, input, output) => {
    expect(
      details({
        [input]: 100,
        [output]: 50,
        total_tokens: 150,
        [`${input}_details`]: { cached_tokens: 40, audio_tokens: null },
        [`${output}_details`]: { reasoning_tokens: 60 },
      }),
    ).toEqual({ input: 60, output: 0, total: 150, input_cached_tokens: 40, output_reasoning_tokens: 60 })
  })
  test('2.10 without details', () => {
    expect(details({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, prompt_tokens_details: null })).toEqual({
      input: 1,
      output: 2,
      total: 3,
    })
  })
  test('2.10 strict: an object with any other key is a custom map', () => {
    expect(details({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, other: 4 })).toEqual({
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      other: 4,
    })
  })
})

test('the order of attributes does not change the counts', () => {
  const names = [...Object.values(spellings).flat(), 'details.x', 'x', 'output_tokens_limit', 'input_cost']
  const keys = names.flatMap(name => [`gen_ai.usage.${name}`, `llm.token_count.${name}`])
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), fc.nat(1000), { maxKeys: 12 }), fc.nat(), (values, seed) => {
      const entries = Object.entries(values)
      const turned = entries.map((_, i) => entries[(i + seed) % entries.length]!)
      expect(provided(Object.fromEntries(turned))).toEqual(provided(values))
    }),
    { numRuns: 100 },
  )
})

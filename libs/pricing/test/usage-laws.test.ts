// The laws in this file hold for any token counts that a span reports, and for all usage names of the resulting row.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Amounts } from '../src/amounts.ts'
import { createEnricher, type SpanFacts } from '../src/enrich.ts'
import { SaidUsage } from '../src/said-usage.ts'
import { createTokenCounter } from '../src/token-counter.ts'
import { readUsageName } from '../src/usage-name.ts'
import { catalogOf, model, tier } from './catalogs.ts'

const priced = (modelName: string, prices: Readonly<Record<string, string>>) =>
  model({ id: modelName, matchPattern: `^${modelName}$`, tiers: [tier(prices)] })

const catalog = catalogOf([
  priced('plain', { input: '3', output: '15' }),
  priced('cached', { input: '3', output: '15', input_cached_tokens: '0.3', input_cache_creation: '3.75', input_cache_creation_1h: '6' }),
  priced('heard', { input: '3', output: '15', input_audio_tokens: '20', output_audio_tokens: '40' }),
  priced('all', {
    prompt_tokens: '3',
    completion_tokens: '15',
    'prompt_tokens_details.cached_tokens': '0.3',
    input_audio_tokens: '20',
    input_cached_audio_tokens: '2',
    output_reasoning_tokens: '12',
    output_image_tokens: '60',
  }),
])
const models = ['', 'unknown', 'plain', 'cached', 'heard', 'all']
const { enrich } = createEnricher(catalog, createTokenCounter())

type Counts = Readonly<Record<string, number>>

function mapped(modelName: string, counts: Counts, cacheIsBeside = false) {
  const said = new SaidUsage()
  for (const [name, count] of Object.entries(counts)) {
    const { kind, cell } = readUsageName(name)
    if (kind === 'count') said.say(cell, count)
  }
  said.cacheIsBeside = cacheIsBeside
  const facts: SpanFacts = {
    projectId: 'p',
    modelName,
    startTimeUs: 0,
    isError: false,
    isCountable: true,
    usage: new Amounts(),
    said,
    providedCosts: new Amounts(),
    text: () => undefined,
    attribute: () => undefined,
  }
  const { usage, costs } = enrich(facts)
  const keys = Object.fromEntries(Object.entries(usage.toObject()).map(([key, units]) => [key, Number(units)]))
  const { total = 0, ...parts } = keys
  const cost = costs.indexOf('total')
  return { keys, parts, total, cost: cost < 0 ? 0n : BigInt(costs.units[cost]!) }
}

const sumOf = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Each percentage applies to the tokens that remain after the previous parts. */
const partsOf = (whole: number, shares: readonly number[]): number[] => {
  let left = whole
  return shares.map(share => {
    const part = Math.floor((left * share) / 100)
    left -= part
    return part
  })
}

const anyModel = fc.constantFrom(...models)
const wholes = fc.record({ input: fc.integer({ min: 1, max: 100_000 }), output: fc.integer({ min: 1, max: 100_000 }) })
const shares = (length: number) => fc.array(fc.nat(100), { minLength: length, maxLength: length })

const synonyms: Readonly<Record<string, readonly string[]>> = {
  input: ['input_tokens', 'prompt_tokens', 'promptTokenCount', 'usage.input-tokens'],
  output: ['output_tokens', 'completion_tokens', 'candidates_token_count', 'responseTokens'],
  total: ['total', 'total_tokens', 'totalTokenCount'],
  cached: [
    'cache_read_input_tokens',
    'input_tokens.cached',
    'cachedContentTokenCount',
    'details.cache_read_tokens',
    'prompt_cache_hit_tokens',
  ],
  written: ['cache_write.input_tokens', 'cache_creation_input_tokens', 'input_token_details.cache_creation', 'cacheWriteInputTokens'],
  reasoning: [
    'reasoning_tokens',
    'output_tokens.reasoning',
    'thoughts_token_count',
    'experimental.thinking_tokens',
    'reasoning.output_tokens',
  ],
  heard: ['audio_prompt_tokens', 'input_audio_tokens', 'prompt_tokens_details.audio_tokens'],
  spoken: ['output_audio_tokens', 'completion_tokens_details.audio_tokens', 'audio_candidates_tokens'],
}
const anyCounts = fc.record(
  Object.fromEntries(Object.keys(synonyms).map(name => [name, fc.oneof(fc.nat(1000), fc.nat(100_000))])) as Record<
    string,
    fc.Arbitrary<number>
  >,
  { requiredKeys: [] },
) as fc.Arbitrary<Counts>
const spelled = (counts: Counts, seed: number): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count], i) => [synonyms[name]![(seed + i * 7) % synonyms[name]!.length]!, count]))

describe('laws of a usage', () => {
  test('the keys add up to the total for any counts', () => {
    fc.assert(
      fc.property(anyModel, anyCounts, fc.boolean(), (name, counts, beside) => {
        const { parts, total } = mapped(name, spelled(counts, 0), beside)
        if (Object.keys(parts).length > 0) expect(sumOf(parts)).toBe(total)
      }),
    )
  })

  test('the total of input and output alone is their sum, or a larger reported total', () => {
    fc.assert(
      fc.property(anyModel, wholes, fc.option(fc.nat(300_000)), (name, { input, output }, total) => {
        const said = { input_tokens: input, output_tokens: output, ...(total !== null && { total_tokens: total }) }
        expect(mapped(name, said).total).toBe(Math.max(input + output, total ?? 0))
      }),
    )
  })

  test('a breakdown never changes the total, nor the cost when no part has its own price', () => {
    fc.assert(
      fc.property(anyModel, wholes, shares(4), shares(2), (name, { input, output }, ofInput, ofOutput) => {
        const said = { input_tokens: input, output_tokens: output }
        const [cached = 0, written = 0, audio = 0, image = 0] = partsOf(input, ofInput)
        const [reasoning = 0, spoken = 0] = partsOf(output, ofOutput)
        const broken = {
          ...said,
          cache_read_input_tokens: cached,
          cache_write_input_tokens: written,
          input_audio_tokens: audio,
          input_image_tokens: image,
          'details.text_prompt_tokens': input,
          reasoning_tokens: reasoning,
          output_audio_tokens: spoken,
        }
        expect(mapped(name, broken).total).toBe(input + output)
        if (name === 'plain') expect(mapped(name, broken).cost).toBe(mapped(name, said).cost)
      }),
    )
  })

  test('an additional breakdown of the same whole changes neither total nor cost', () => {
    fc.assert(
      fc.property(wholes, fc.nat(100), fc.nat(100), ({ input, output }, ofCache, ofAudio) => {
        const cached = Math.floor((input * ofCache) / 100)
        const said = { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached }
        const broken = { ...said, input_audio_tokens: Math.floor((input * ofAudio) / 100), text_prompt_tokens: input }
        expect(mapped('cached', broken)).toMatchObject({ total: input + output, cost: mapped('cached', said).cost })
      }),
    )
  })

  test('renaming counts within the vocabulary changes neither keys nor cost', () => {
    fc.assert(
      fc.property(anyModel, anyCounts, fc.nat(50), fc.nat(50), (name, counts, a, b) => {
        expect(mapped(name, spelled(counts, a))).toEqual(mapped(name, spelled(counts, b)))
      }),
    )
  })

  const strange = fc.constantFrom(
    'server_tool_use',
    'reasoning_tokens_limit',
    'input_cost',
    'cached_ratio',
    'max_tokens',
    'thinking_budget',
    'x',
  )
  test('names that are not understood, settings and money change nothing', () => {
    fc.assert(
      fc.property(anyModel, anyCounts, fc.dictionary(fc.oneof(strange, fc.string()), fc.nat(1_000_000)), (name, counts, others) => {
        const unknown = Object.fromEntries(Object.entries(others).filter(([other]) => readUsageName(other).kind !== 'count'))
        expect(mapped(name, { ...unknown, ...spelled(counts, 1) })).toEqual(mapped(name, spelled(counts, 1)))
      }),
    )
  })

  test('the part of a reported input or output that remains never exceeds the reported count', () => {
    fc.assert(
      fc.property(anyModel, anyCounts, fc.boolean(), (name, counts, beside) => {
        const { parts } = mapped(name, spelled(counts, 2), beside)
        if (counts['input'] !== undefined) expect(parts['input'] ?? 0).toBeLessThanOrEqual(counts['input'])
        if (counts['output'] !== undefined) expect(parts['output'] ?? 0).toBeLessThanOrEqual(counts['output'])
        for (const units of Object.values(parts)) expect(units).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('parts within or beside their whole', () => {
  const parts = (counts: Counts, model = '', beside = false) => mapped(model, counts, beside).keys

  test('the total decides', () => {
    const said = { input_tokens: 100, output_tokens: 30, cache_read_tokens: 40 }
    expect(parts({ ...said, total_tokens: 130 })).toEqual({ input: 60, input_cached_tokens: 40, output: 30, total: 130 })
    expect(parts({ ...said, total_tokens: 170 })).toEqual({ input: 100, input_cached_tokens: 40, output: 30, total: 170 })
    expect(parts({ input_tokens: 100, output_tokens: 30, reasoning_tokens: 20, total_tokens: 150 })).toEqual({
      input: 100,
      output: 30,
      output_reasoning_tokens: 20,
      total: 150,
    })
  })
  test('the count of uncached tokens decides', () => {
    const said = { input_tokens: 100, cache_read_tokens: 40, output_tokens: 1 }
    expect(parts({ ...said, no_cache_tokens: 60 }, '', true)).toMatchObject({ input: 60, total: 101 })
    expect(parts({ ...said, no_cache_tokens: 100 })).toMatchObject({ input: 100, total: 141 })
    expect(parts({ prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 60 })).toEqual({ input: 60, input_cached_tokens: 40, total: 100 })
  })
  test('a part larger than its whole is beside the whole', () => {
    expect(parts({ input_tokens: 10, cache_read_tokens: 20, cache_write_tokens: 3 })).toEqual({
      input: 10,
      input_cached_tokens: 20,
      input_cache_creation: 3,
      total: 33,
    })
    expect(parts({ output_tokens: 50, reasoning_tokens: 400 })).toEqual({ output: 50, output_reasoning_tokens: 400, total: 450 })
  })
  test('an unexplained total is kept, and the missing tokens become `other`, without a price', () => {
    const said = { input_tokens: 100, output_tokens: 30 }
    expect(parts({ ...said, total_tokens: 200 })).toEqual({ input: 100, output: 30, other: 70, total: 200 })
    expect(mapped('plain', { ...said, total_tokens: 200 }).cost).toBe(mapped('plain', said).cost)
    expect(parts({ ...said, total_tokens: 90 })).toEqual({ input: 100, output: 30, total: 130 })
  })
  test('an unreported side is the rest of the total', () => {
    expect(parts({ input_tokens: 100, total_tokens: 130 })).toEqual({ input: 100, output: 30, total: 130 })
    expect(parts({ output_tokens: 30, total_tokens: 130, cache_read_tokens: 40 })).toEqual({
      input: 60,
      input_cached_tokens: 40,
      output: 30,
      total: 130,
    })
  })
  test('Gemini’s tool tokens are beside its prompt', () => {
    const said = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 50,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 20,
      totalTokenCount: 200,
    }
    expect(parts(said)).toEqual({ input: 100, input_tool_tokens: 50, output: 30, output_reasoning_tokens: 20, total: 200 })
  })
})

describe('several breakdowns of one whole', () => {
  const parts = (model: string, counts: Counts) => mapped(model, counts).parts
  const said = { input_tokens: 1000, cached_tokens: 600, audio_prompt_tokens: 800 }

  test('if both breakdowns have prices, their common tokens get a common key', () => {
    expect(parts('all', { ...said, audio_cache_tokens: 500 })).toEqual({
      input: 100,
      input_cached_tokens: 100,
      input_audio_tokens: 300,
      input_cached_audio_tokens: 500,
    })
    // Audio tokens plus cached tokens exceed the input tokens by 400. At least 400 audio tokens therefore came from the cache.
    expect(parts('all', said)).toEqual({ input: 0, input_cached_tokens: 200, input_audio_tokens: 400, input_cached_audio_tokens: 400 })
  })
  test('if only one breakdown has a price, that breakdown is shown', () => {
    expect(parts('heard', said)).toEqual({ input: 200, input_audio_tokens: 800 })
    expect(parts('cached', said)).toEqual({ input: 0, input_cached_tokens: 600, input_audio_tokens: 400 })
  })
  test('text tokens are the rest of their whole', () => {
    expect(parts('all', { input_tokens: 1200, text_prompt_tokens: 1200, output_tokens: 340, text_candidates_tokens: 50 })).toEqual({
      input: 1200,
      output: 340,
    })
  })
  test('cache writes are shown by lifetime', () => {
    const written = { input_tokens: 100, cache_creation_input_tokens: 60, 'cache_creation.ephemeral_1h_input_tokens': 20 }
    expect(mapped('cached', written)).toMatchObject({
      parts: { input: 40, input_cache_creation: 40, input_cache_creation_1h: 20 },
      cost: BigInt(40 * 3 * 1e12) + BigInt(40 * 3.75 * 1e12) + BigInt(20 * 6 * 1e12),
    })
  })
})

test('a part without its own price costs as much as its whole', () => {
  expect(mapped('plain', { input_tokens: 10, output_tokens: 5, reasoning_tokens: 40 }).cost).toBe(BigInt((30 + 45 * 15) * 1e12))
})

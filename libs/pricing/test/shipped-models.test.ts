import { RE2Set } from 're2js'
import { describe, expect, test } from 'vitest'
import { fromPostgres } from '../src/postgres-pattern.ts'
import { priceKinds, shippedModels, shippedPriceList } from '../src/shipped-models.ts'
import { tokenizerOf } from '../src/tokenizers.ts'
import { ask, shippedCatalog } from './catalogs.ts'

const models = shippedModels()

describe('the file', () => {
  test('states its date, source, pages and currency', () => {
    expect(shippedPriceList.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(Number.isNaN(Date.parse(shippedPriceList.asOf))).toBe(false)
    expect(shippedPriceList.source.length).toBeGreaterThan(20)
    expect(shippedPriceList.currency).toBe('USD')
    for (const page of shippedPriceList.pages) expect(URL.canParse(page)).toBe(true)
  })

  test.each(shippedPriceList.models.map(listed => [listed.name, listed] as const))('%s has only the fields of a model', (_, listed) => {
    expect(Object.keys(listed).filter(key => !['name', 'provider', 'matchPattern', 'tokenizer', 'tiers'].includes(key))).toEqual([])
    expect(['anthropic', 'openai', 'google']).toContain(listed.provider)
    expect(listed.matchPattern).toMatch(/^\(\?i\)\^.*\$$/)
    const [standard, ...others] = listed.tiers
    expect([standard?.name, standard?.inputAbove, standard?.modelParameter]).toEqual(['Standard', undefined, undefined])
    for (const { inputAbove, modelParameter } of others) expect(inputAbove !== undefined || modelParameter !== undefined).toBe(true)
    for (const { perMillion } of listed.tiers) {
      expect(perMillion.input).toBeDefined()
      for (const [kind, price] of Object.entries(perMillion)) {
        expect(Object.keys(priceKinds)).toContain(kind)
        expect(price).toMatch(/^\d{1,4}(\.\d{1,6})?$/)
      }
    }
  })

  test('within a tier, a cache read costs at most as much as the input, and an output and a cache write at least as much', () => {
    for (const { name, tiers } of shippedPriceList.models) {
      for (const { perMillion } of tiers) {
        const price = (kind: keyof typeof perMillion) => Number(perMillion[kind] ?? perMillion.input)
        expect(price('cacheRead'), name).toBeLessThanOrEqual(price('input'))
        expect(price('cacheWrite'), name).toBeGreaterThanOrEqual(price('input'))
        expect(price('output'), name).toBeGreaterThanOrEqual(price('input'))
      }
    }
  })
})

describe('as rows of the catalog', () => {
  test('compile without warnings', () => {
    expect(shippedCatalog.warnings).toEqual([])
    expect(models.length).toBeGreaterThan(120)
  })

  test('have unique ids and names, and unique names and priorities of tiers', () => {
    expect(new Set(models.map(m => m.id)).size).toBe(models.length)
    for (const { id, tiers } of models) {
      expect(new Set(tiers.map(t => t.id)).size, id).toBe(tiers.length)
      expect(new Set(tiers.map(t => t.name)).size, id).toBe(tiers.length)
      expect(tiers.map(t => t.priority)).toEqual(tiers.map((_, i) => i))
    }
  })

  test('have one default tier with priority 0 and no conditions, other tiers with conditions, and the same price keys in all tiers', () => {
    for (const { id, tiers } of models) {
      expect(
        tiers.filter(t => t.isDefault).map(t => [t.priority, t.conditions.length]),
        id,
      ).toEqual([[0, 0]])
      for (const t of tiers) {
        expect(t.isDefault || t.conditions.length > 0, id).toBe(true)
        expect(Object.keys(t.prices), id).toEqual(Object.keys(tiers[0]!.prices))
      }
    }
  })

  test('contain only known tokenizers', () => {
    for (const m of models) expect(tokenizerOf(m) === null, m.id).toBe(m.tokenizerId === null)
  })
})

describe('real names', () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    'openai/gpt-4o': [
      'gpt-4o',
      'GPT-4o',
      'gpt-4o-2024-11-20',
      'openai/gpt-4o',
      'azure/gpt-4o-2024-08-06',
      'openai:gpt-4o',
      'openrouter/openai/gpt-4o',
    ],
    'openai/gpt-4o-2024-05-13': ['gpt-4o-2024-05-13', 'openai/gpt-4o-2024-05-13'],
    'openai/gpt-4o-mini': ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', 'azure/gpt-4o-mini'],
    'openai/gpt-3.5-turbo': ['gpt-3.5-turbo', 'gpt-3.5-turbo-0125', 'gpt-35-turbo', 'azure/gpt-35-turbo'],
    'openai/gpt-4': ['gpt-4', 'gpt-4-0613'],
    'openai/gpt-4-turbo': ['gpt-4-turbo', 'gpt-4-turbo-2024-04-09', 'gpt-4-1106-preview', 'gpt-4-0125-preview'],
    'openai/gpt-4.1-mini': ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14'],
    'openai/gpt-5': ['gpt-5', 'gpt-5-2025-08-07', 'gpt-5-chat-latest', 'openai/gpt-5-codex'],
    'openai/gpt-5.1': ['gpt-5.1', 'gpt-5.1-2025-11-13', 'gpt-5.1-codex-max'],
    'openai/gpt-5-mini': ['gpt-5-mini', 'gpt-5-mini-2025-08-07'],
    'openai/gpt-5.4': ['gpt-5.4', 'gpt-5.4-2026-03-05', 'azure/gpt-5-4'],
    'openai/gpt-6.1-sol': ['gpt-6.1-sol', 'gpt-6.1-sol-2026-11-01'],
    'openai/o3': ['o3', 'o3-2025-04-16'],
    'openai/o4-mini': ['o4-mini', 'o4-mini-2025-04-16'],
    'openai/text-embedding-3-small': ['text-embedding-3-small', 'openai/text-embedding-3-small'],
    'openai/ft:gpt-4o': ['ft:gpt-4o-2024-08-06:acme::abc123', 'openai/ft:gpt-4o-2024-08-06:acme:suffix:abc123'],
    'anthropic/claude-3-5-sonnet': [
      'claude-3-5-sonnet-20241022',
      'claude-3-5-sonnet-latest',
      'anthropic/claude-3.5-sonnet',
      'anthropic.claude-3-5-sonnet-20241022-v2:0',
      'us.anthropic.claude-3-5-sonnet-20240620-v1:0',
      'claude-3-5-sonnet-v2@20241022',
      'anthropic/claude-3.5-sonnet:beta',
    ],
    'anthropic/claude-3-haiku': ['claude-3-haiku-20240307', 'anthropic.claude-3-haiku-20240307-v1:0:48k'],
    'anthropic/claude-sonnet-4-0': [
      'claude-sonnet-4-20250514',
      'claude-sonnet-4@20250514',
      'claude-sonnet-4-0',
      'anthropic/claude-sonnet-4',
    ],
    'anthropic/claude-sonnet-4-5': [
      'claude-sonnet-4-5',
      'claude-sonnet-4-5-20250929',
      'anthropic/claude-sonnet-4.5',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'vertex_ai/claude-sonnet-4-5@20250929',
      'claude-sonnet-4-5@default',
      'claude-sonnet-4-5-20250929[1m]',
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    'anthropic/claude-opus-4-1': ['claude-opus-4-1-20250805', 'claude-opus-4.1'],
    'anthropic/claude-opus-4-0': ['claude-opus-4-20250514', 'claude-opus-4', 'claude-4-opus-20250514'],
    'anthropic/claude-opus-5-5': ['claude-opus-5-5', 'anthropic:claude-opus-5.5', 'claude-opus-5-5@20261001'],
    'anthropic/claude-haiku-4-5': ['claude-haiku-4-5-20251001', 'claude-haiku-4-5', 'apac.anthropic.claude-haiku-4-5-20251001-v1:0'],
    'google/gemini-2.5-pro': [
      'gemini-2.5-pro',
      'models/gemini-2.5-pro',
      'gemini-2.5-pro-preview-06-05',
      'google/gemini-2.5-pro',
      'gemini-2.5-pro-exp-03-25',
    ],
    'google/gemini-2.5-flash': [
      'gemini-2.5-flash',
      'gemini-2.5-flash-preview-09-2025',
      'vertex_ai/gemini-2.5-flash',
      'gemini-2.5-flash-latest',
    ],
    'google/gemini-2.5-flash-preview': ['gemini-2.5-flash-preview-05-20', 'gemini-2.5-flash-preview-04-17:thinking'],
    'google/gemini-2.0-flash': [
      'gemini-2.0-flash',
      'gemini-2.0-flash-001',
      'gemini-2.0-flash-exp',
      'projects/x/locations/y/publishers/google/models/gemini-2.0-flash-001',
    ],
    'google/gemini-2.0-flash-lite': ['gemini-2.0-flash-lite', 'gemini-2.0-flash-lite-001'],
    'google/gemini-1.5-pro': ['gemini-1.5-pro', 'gemini-1.5-pro-002', 'gemini-1.5-pro-latest'],
    'google/gemini-3-pro-preview': ['gemini-3-pro-preview', 'gemini-3-pro'],
    'google/gemini-3.8-flash': ['gemini-3.8-flash', 'gemini-flash-latest'],
  }
  const cases = Object.entries(names).flatMap(([id, list]) => list.map(name => [name, id] as const))
  const patterns = new RE2Set()
  for (const { matchPattern } of models) {
    const translated = fromPostgres(matchPattern)
    if (translated.ok) patterns.add(translated.pattern)
  }

  test.each(cases)('%s matches %s and no other model', (name, id) => {
    expect(patterns.match(name).map(i => models[i]!.id)).toEqual([id])
  })

  test('every model’s own name matches only that model', () => {
    for (const m of models) {
      const name = m.id.startsWith('openai/ft:')
        ? `${m.modelName}-2024-01-01:org::id`.replace('turbo-2024-01-01', 'turbo-0125')
        : m.modelName
      expect(
        patterns.match(name).map(i => models[i]!.id),
        name,
      ).toEqual([m.id])
    }
  })

  test.each([
    'gpt-4o-next',
    'my gpt-4o',
    'gpt',
    'claude',
    'claude-sonnet',
    'gemini',
    'o',
    'llama-3',
    'gpt-4o-mini-v2',
    'xgpt-4o',
    'text-embedding',
  ])('%s matches no model', name => {
    expect(shippedCatalog.match('p', name, 0)).toBeNull()
  })
})

describe('costs of the list', () => {
  test('OpenAI: cached input, reasoning', () => {
    const usageDetails = { input: 60, input_cached_tokens: 40, output: 20, output_reasoning_tokens: 10 }
    expect(ask(shippedCatalog, { modelName: 'gpt-5', usageDetails })).toMatchObject({
      costDetails: {
        input: '0.000075',
        input_cached_tokens: '0.000005',
        output: '0.0002',
        output_reasoning_tokens: '0.0001',
        total: '0.00038',
      },
      pricingTierName: 'Standard',
    })
  })

  test('Anthropic: cache reads, cache writes of 5 minutes and of an hour', () => {
    const usageDetails = {
      input: 1,
      input_cached_tokens: 1,
      input_cache_creation: 1,
      input_cache_creation_5m: 1,
      input_cache_creation_1h: 1,
      output: 1,
    }
    expect(ask(shippedCatalog, { modelName: 'claude-opus-5', usageDetails }).costDetails).toEqual({
      input: '0.000005',
      input_cached_tokens: '0.0000005',
      input_cache_creation: '0.00000625',
      input_cache_creation_5m: '0.00000625',
      input_cache_creation_1h: '0.00001',
      output: '0.000025',
      total: '0.000053',
    })
  })

  test('Google: audio has its own price, thoughts are output', () => {
    const usageDetails = { input: 1, input_audio_tokens: 1, output: 1, thoughts_token_count: 1 }
    expect(ask(shippedCatalog, { modelName: 'gemini-2.5-flash', usageDetails }).costDetails).toEqual({
      input: '0.0000003',
      input_audio_tokens: '0.000001',
      output: '0.0000025',
      thoughts_token_count: '0.0000025',
      total: '0.0000063',
    })
  })

  test.each([
    ['claude-sonnet-4-5', { input: 200_000 }, 'Standard', '0.6'],
    ['claude-sonnet-4-5', { input: 200_001 }, 'Large context', '1.200006'],
    ['claude-sonnet-4-5', { input: 1, input_cached_tokens: 200_000 }, 'Large context', '0.120006'],
    ['gemini-2.5-pro', { input: 200_001, output: 1 }, 'Large context', '0.5000175'],
    ['gemini-2.5-pro', { input: 1, output: 500_000 }, 'Standard', '5.00000125'],
    ['gpt-5.4', { input: 272_001 }, 'Large context', '1.360005'],
  ])('a large context has its own prices: %s %j → %s', (modelName, usageDetails, tierName, total) => {
    expect(ask(shippedCatalog, { modelName, usageDetails })).toMatchObject({ pricingTierName: tierName, totalCost: total })
  })

  test.each([
    ['gpt-5', 'flex', 1_000, 'Flex', '0.000625'],
    ['gpt-5', 'priority', 1_000, 'Priority', '0.0025'],
    ['gpt-5', 'default', 1_000, 'Standard', '0.00125'],
    ['gpt-5.4', 'flex', 300_000, 'Flex, large context', '0.75'],
  ])('a service tier has its own prices: %s %s', (modelName, tierName, input, expected, total) => {
    const attributes = { model_parameters: { service_tier: tierName } }
    expect(ask(shippedCatalog, { modelName, usageDetails: { input }, attributes })).toMatchObject({
      pricingTierName: expected,
      totalCost: total,
    })
  })
})

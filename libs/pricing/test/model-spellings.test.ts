// Tests model names as hosts, gateways and routers spell them. A name must be assigned to the model that the name means, or to no model.
import fc from 'fast-check'
import { RE2Set } from 're2js'
import { describe, expect, test } from 'vitest'
import { spellingsOf } from '../src/model-spellings.ts'
import { fromPostgres } from '../src/postgres-pattern.ts'
import { shippedPriceList } from '../src/shipped-models.ts'
import { catalogOf, model, shippedCatalog } from './catalogs.ts'

const listed = shippedPriceList.models.map(({ provider, name, matchPattern }) => ({ id: `${provider}/${name}`, name, matchPattern }))
const patterns = new RE2Set()
for (const { matchPattern } of listed) {
  const translated = fromPostgres(matchPattern)
  if (translated.ok) patterns.add(translated.pattern)
}
const matchedAsItIs = (name: string) => patterns.match(name).map(i => listed[i]!.id)
const meaningOf = (name: string) => shippedCatalog.match('p', name, 0)?.id ?? null

const head = '(?i)^(?:\\S*[/:])?'
/**
 * Generates names of a model: its own name, and other names that its pattern matches (for example aliases, or names with a date or a
 * version).
 */
const namesOf = ({ name, matchPattern }: (typeof listed)[number]) =>
  name.startsWith('ft:')
    ? fc.constantFrom(`${name}-2024-01-01:acme::x1`.replace('turbo-2024-01-01', 'turbo-0125'))
    : fc.oneof(fc.constant(name), fc.stringMatching(new RegExp(`^(?:${matchPattern.slice(head.length, -1)})$`)))
const names = fc.oneof(...listed.map(entry => fc.tuple(fc.constant(entry.id), namesOf(entry))))

const prefixes = [
  ...[
    'azure.',
    'openai.',
    'databricks-',
    'system.ai.',
    'anthropic--',
    'vertex_ai.',
    'azure_openai.',
    'bedrock:',
    'amazon-bedrock.',
    'github-copilot-',
  ],
  ...['us.anthropic.', 'eu.', 'global.openai.', 'us-east-1.anthropic.', 'aws.bedrock.us-gov.', 'swedencentral.', 'europe-west4.google.'],
  ...['openrouter/openai/', 'accounts/acme/models/', '@acme/azure.', 'bedrock/us-west-2/us.anthropic.', ''],
]
const suffixes = [
  ...[':online', ':free', ':nitro', ':floor', ':extended', ':online:nitro'],
  ...['-v1:0', '-v2:0:200k', '[1m]', '@default', '@001', '-20310101', '-2031-01-01', '@20310101', '-20310101-v1:0'],
  ...['-customtools', ':custom-tools', '-thinking', '-high', '-high-20310101', '@us-east5', '@eastus2', '-swedencentral', '@eu', ''],
]

describe('reported names', () => {
  test.each([
    ['anthropic/claude-4.5-sonnet-20250929', 'anthropic/claude-sonnet-4-5'],
    ['openai.gpt-5.6-sol-v1:0', 'openai/gpt-5.6-sol'],
    ['databricks-claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['databricks-claude-opus-4-1', 'anthropic/claude-opus-4-1'],
    ['databricks-gpt-5-1-codex-max', 'openai/gpt-5.1'],
    ['databricks-gemini-2-5-pro', 'google/gemini-2.5-pro'],
    ['system.ai.databricks-claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['system.ai.gemini-2-5-pro', 'google/gemini-2.5-pro'],
    ['system.ai.gpt-5-mini', 'openai/gpt-5-mini'],
    ['azure.gpt-4o', 'openai/gpt-4o'],
    ['gpt-4o-mini:online', 'openai/gpt-4o-mini'],
    ['gemini-3.1-pro-preview-customtools', 'google/gemini-3.1-pro-preview'],
    ['google/gemini-3-pro-preview-20251117', 'google/gemini-3-pro-preview'],
    ['sap/anthropic--claude-4.6-opus', 'anthropic/claude-opus-4-6'],
    ['us-east-1.anthropic.claude-4-sonnet-20250514-v1:0', 'anthropic/claude-sonnet-4-0'],
    ['azure.ft:gpt-4o-2024-08-06:acme::x1', 'openai/ft:gpt-4o'],
    ['Claude Sonnet 4.5', 'anthropic/claude-sonnet-4-5'],
    ['gpt4-1106-preview', 'openai/gpt-4-turbo'],
    ['gpt-4o-20240513', 'openai/gpt-4o-2024-05-13'],
    ['gpt-4.0-turbo', 'openai/gpt-4-turbo'],
    ['gemini-2-flash', 'google/gemini-2.0-flash'],
    ['gpt-mini-4.1', 'openai/gpt-4.1-mini'],
    ['databricks--.anthropic.claude-4-sonnet:online', 'anthropic/claude-sonnet-4-0'],
  ])('%s is %s', (name, id) => {
    expect(meaningOf(name)).toBe(id)
  })
})

describe('no name becomes another model', () => {
  test('a name from the list matches exactly one model', () => {
    fc.assert(
      fc.property(names, ([id, name]) => {
        expect([name, matchedAsItIs(name)]).toEqual([name, [id]])
      }),
      { numRuns: 300 },
    )
  })

  test('a name from the list means its model with any known prefix and suffix', () => {
    fc.assert(
      fc.property(names, fc.constantFrom(...prefixes), fc.constantFrom(...suffixes), ([id, name], prefix, suffix) => {
        // A suffix would become part of a fine-tuned model's name, so the test adds only a prefix.
        const written = name.startsWith('ft:') ? `${prefix}${name}` : `${prefix}${name}${suffix}`
        expect([written, meaningOf(written)]).toEqual([written, id])
      }),
      { numRuns: 300 },
    )
  })

  test('every model of the list is found with every prefix and every suffix', () => {
    const wrong = listed
      .filter(({ name }) => !name.startsWith('ft:'))
      .flatMap(({ id, name }) => [...prefixes.map(prefix => [`${prefix}${name}`, id]), ...suffixes.map(suffix => [`${name}${suffix}`, id])])
      .filter(([name, id]) => meaningOf(name!) !== id)
    expect(wrong).toEqual([])
  })

  test('alternative spellings that omit nothing mean the same model or none', () => {
    fc.assert(
      fc.property(names, ([id, name]) => {
        for (const { name: other, changes } of spellingsOf(name)) {
          if (!changes.some(change => change.startsWith('without')))
            expect([other, matchedAsItIs(other).filter(found => found !== id)]).toEqual([other, []])
        }
      }),
      { numRuns: 300 },
    )
  })

  const unknownSuffixes = [
    ...[
      '-mini',
      '-nano',
      '-audio',
      '-audio-preview',
      '-realtime-preview',
      '-search-preview',
      '-pro',
      '-turbo',
      '-lite',
      '-latest',
      '-preview',
    ],
    ...['-fast', '-flex', '-batch', ':batch', '-next', '-v2', '-distill', '-instruct', '-vision', '-8b', '-16k', '-0613', '-image', '-tts'],
  ]
  test('never drops an unknown suffix', () => {
    const words = fc
      .stringMatching(/^[-:@.][a-z]{4,10}$/)
      .filter(word => !/(?:minimal|medium|high|think|free|nitro|floor|beta|online|extended)/.test(word))
    fc.assert(
      fc.property(names, fc.oneof(fc.constantFrom(...unknownSuffixes), words), ([, name], suffix) => {
        const [asItIs = null] = matchedAsItIs(`${name}${suffix}`)
        expect([name, suffix, meaningOf(`${name}${suffix}`)]).toEqual([name, suffix, asItIs])
      }),
      { numRuns: 300 },
    )
  })

  test('gpt-4o with an unknown suffix matches no model', () => {
    for (const suffix of [
      '-next',
      '-fast',
      '-audio',
      '-realtime',
      '-tiny',
      '-v2',
      '-2',
      '-preview',
      '-latest',
      ':8b',
      '-mini-mini',
      '-batch',
    ])
      expect([suffix, meaningOf(`gpt-4o${suffix}`)]).toEqual([suffix, null])
  })

  test.each([
    'acme-gpt-4o',
    'northwind-gpt-4o',
    'mini-gpt-4',
    'ft:gpt-4.1-2025-04-14:acme::x1',
    'claude-4.7-haiku',
    'claude-sonnet-4-9',
    'gpt-4-5-6',
  ])('%s matches no model', name => {
    expect(meaningOf(name)).toBeNull()
  })
})

describe('a project’s own models', () => {
  const shared = model({ id: 'shared', matchPattern: '^gpt-4o$' })

  test('a project’s own pattern sees the name unchanged and wins', () => {
    const catalog = catalogOf([shared, model({ id: 'own', projectId: 'p', matchPattern: '^azure\\.gpt-4o$' })])
    expect([catalog.match('p', 'azure.gpt-4o', 0)?.id, catalog.spelling('p', 'azure.gpt-4o')]).toEqual(['own', null])
    expect(catalog.match('q', 'azure.gpt-4o', 0)?.id).toBe('shared')
  })

  test('a project’s own pattern does not see other spellings', () => {
    const catalog = catalogOf([model({ id: 'own', projectId: 'p', matchPattern: '^gpt-4o$' })])
    expect([catalog.match('p', 'gpt-4o', 0)?.id, catalog.match('p', 'azure.gpt-4o', 0)]).toEqual(['own', null])
  })

  test('a name that matches unchanged has no other spelling', () => {
    const catalog = catalogOf([shared, model({ id: 'whole', matchPattern: '^azure\\.gpt-4o$' })])
    expect([catalog.match('p', 'azure.gpt-4o', 0)?.id, catalog.spelling('p', 'azure.gpt-4o')]).toEqual(['whole', null])
    expect(catalog.spelling('p', 'nobody’s')).toBeNull()
  })

  test('the spelling lists the changes', () => {
    expect(shippedCatalog.spelling('p', 'openrouter/anthropic/claude-4.5-sonnet:online')).toEqual({
      name: 'claude-sonnet-4.5',
      changes: ['without the path openrouter/anthropic/', 'without the suffix :online', 'with its version written or placed differently'],
    })
  })
})

test('a hostile name has few spellings', () => {
  for (const name of [
    'gpt-4-5',
    '-high'.repeat(50),
    `gpt-4o${':free'.repeat(50)}`,
    `${'us.'.repeat(80)}x`,
    'east'.repeat(60),
    '1-'.repeat(128),
  ])
    expect([...spellingsOf(name)].length).toBeLessThan(60)
})

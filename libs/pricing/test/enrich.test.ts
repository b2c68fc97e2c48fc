import { expect, test, vi } from 'vitest'
import { Amounts } from '../src/amounts.ts'
import { createEnricher, type SpanFacts } from '../src/enrich.ts'
import { createTokenCounter } from '../src/token-counter.ts'
import { catalogOf, model, tier } from './catalogs.ts'

const onFlex = tier(
  { input: '5' },
  {
    id: 'flex',
    name: 'Flex',
    isDefault: false,
    priority: 1,
    conditions: [{ source: 'model_parameters', key: 'service_tier', operator: 'in', values: ['flex'] }],
  },
)
const catalog = catalogOf([
  model({ id: 'plain' }),
  model({ id: 'tiered', matchPattern: '^tiered$', tiers: [tier({ input: '1' }), onFlex] }),
  model({ id: 'counted', matchPattern: '^counted$', tokenizerId: 'claude' }),
])

interface ChangingFacts extends SpanFacts {
  modelName: string
  isError: boolean
  isCountable: boolean
  readonly text: ReturnType<typeof vi.fn<SpanFacts['text']>>
  readonly attribute: ReturnType<typeof vi.fn<SpanFacts['attribute']>>
}

const factsOf = (modelName: string): ChangingFacts => ({
  projectId: 'p',
  modelName,
  startTimeUs: 0,
  isError: false,
  isCountable: true,
  usage: new Amounts(),
  providedCosts: new Amounts(),
  text: vi.fn<SpanFacts['text']>(() => 'hello'),
  attribute: vi.fn<SpanFacts['attribute']>(() => 'flex'),
})

const enricher = () => createEnricher(catalog, createTokenCounter())

test('reuses one result object, which contains no data of the previous span', () => {
  const { enrich, counts } = enricher()
  const facts = factsOf('tiered')
  facts.usage.add('input', 2)
  const first = enrich(facts)
  expect([first.usage.toObject(), first.costs.toObject(), first.modelId, first.pricingTierId]).toEqual([
    { input: 2n, total: 2n },
    { input: 10n ** 13n, total: 10n ** 13n },
    'tiered',
    'flex',
  ])
  facts.usage.clear()
  facts.modelName = ''
  const second = enrich(facts)
  expect(second).toBe(first)
  expect([second.usage.length, second.costs.length, second.modelId, second.pricingTierId, second.pricingTierName]).toEqual([
    0,
    0,
    '',
    null,
    null,
  ])
  expect(counts.unknownModel).toBe(0)
})

test('reads texts only when their tokens are counted', () => {
  const { enrich } = enricher()
  for (const name of ['', 'm', 'unknown', 'tiered']) {
    const facts = factsOf(name)
    enrich(facts)
    expect(facts.text).not.toHaveBeenCalled()
  }
  const used = factsOf('counted')
  used.usage.add('input', 1)
  enrich(used)
  const failed = factsOf('counted')
  failed.isError = true
  enrich(failed)
  const paid = factsOf('counted')
  paid.providedCosts.add('total', 1)
  enrich(paid)
  for (const facts of [used, failed, paid]) expect(facts.text).not.toHaveBeenCalled()
  const counted = factsOf('counted')
  enrich(counted)
  expect(counted.text.mock.calls).toEqual([['input'], ['output']])
})

test('reads attributes only when a tier depends on them', () => {
  const { enrich } = enricher()
  const plain = factsOf('m')
  plain.usage.add('input', 1)
  enrich(plain)
  const unused = factsOf('tiered')
  enrich(unused)
  expect([plain.attribute.mock.calls, unused.attribute.mock.calls]).toEqual([[], []])
  const tiered = factsOf('tiered')
  tiered.usage.add('input', 1)
  enrich(tiered)
  expect(tiered.attribute.mock.calls).toEqual([['model_parameters', 'service_tier']])
})

test('a span with a text that is too long gets no counts and is counted as skipped', () => {
  const { enrich, counts } = createEnricher(catalog, createTokenCounter({ maxCharacters: 3 }))
  const facts = factsOf('counted')
  facts.text.mockImplementation(side => (side === 'input' ? 'hi' : 'much too long'))
  const { usage, costs, modelId, pricingTierId } = enrich(facts)
  expect([usage.length, costs.length, modelId, pricingTierId]).toEqual([0, 0, 'counted', null])
  expect(counts).toMatchObject({ tokenizationSkipped: 1, tokenized: 0 })
})

test('a span whose tokens the server may not count gets no counts and is counted as skipped', () => {
  const { enrich, counts } = enricher()
  const facts = factsOf('counted')
  facts.isCountable = false
  facts.text.mockImplementation(() => 'hi')
  expect(enrich(facts).usage.length).toBe(0)
  expect(counts).toMatchObject({ tokenizationSkipped: 1, tokenized: 0 })
})

test('the same facts give the same result, whatever spans came before', () => {
  const result = (names: readonly string[]) => {
    const { enrich } = enricher()
    let last: unknown
    for (const name of names) {
      const facts = factsOf(name)
      facts.usage.add('input', 7)
      const { usage, costs, modelId, pricingTierId } = enrich(facts)
      last = [usage.toObject(), costs.toObject(), modelId, pricingTierId]
    }
    return last
  }
  expect(result(['m', 'counted', 'unknown', 'tiered'])).toEqual(result(['tiered']))
})

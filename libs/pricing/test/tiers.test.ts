import { describe, expect, test } from 'vitest'
import { ask, catalogOf, model, tier } from './catalogs.ts'

const at = (prices: Readonly<Record<string, string>>) => catalogOf([model({ tiers: [tier(prices)] })])

describe('§8.3 pricing tiers', () => {
  const conditional = (id: string, priority: number, conditions: readonly unknown[]) =>
    tier({ input: String(priority) }, { id, name: id, isDefault: false, priority, conditions })
  const tierOf = (conditions: readonly unknown[], question: Parameters<typeof ask>[1] = { usageDetails: { input: 100, output: 1 } }) =>
    ask(catalogOf([model({ tiers: [tier({ input: '1' }), conditional('special', 1, conditions)] })]), question).pricingTierName
  const usage = (operator: string, value: unknown, rest = {}) => ({ usageDetailPattern: '^input', operator, value, ...rest })

  test.each([
    ['gt', 99, 'special'],
    ['gt', 100, 'Standard'],
    ['gte', 100, 'special'],
    ['gte', 100.5, 'Standard'],
    ['lt', 100, 'Standard'],
    ['lt', 101, 'special'],
    ['lte', 100, 'special'],
    ['lte', 99, 'Standard'],
    ['eq', 100, 'special'],
    ['eq', 99, 'Standard'],
    ['neq', 99, 'special'],
    ['neq', 100, 'Standard'],
  ])('usage condition: 100 %s %d → %s', (operator, value, expected) => {
    expect(tierOf([usage(operator, value)])).toBe(expected)
  })

  test('compares the exact sum of all matching types, even beyond 2^53, and matches case-insensitively by default', () => {
    const usageDetails = { input: 60, INPUT_cached: 40, output: 900 }
    expect(tierOf([usage('eq', 100)], { usageDetails })).toBe('special')
    expect(tierOf([usage('eq', 60, { caseSensitive: true })], { usageDetails })).toBe('special')
    expect(tierOf([usage('gt', 2 ** 53)], { usageDetails: { input: 2n ** 53n } })).toBe('Standard')
    expect(tierOf([usage('gt', 2 ** 53)], { usageDetails: { input: 2n ** 53n, input_b: 1 } })).toBe('special')
  })

  test('attribute conditions: a scalar is in the list', () => {
    const condition = { source: 'model_parameters', key: 'service_tier', operator: 'in', values: ['flex', 'batch'] }
    const given = (attributes: object) => tierOf([condition], { usageDetails: { input: 1 }, attributes })
    expect(given({ model_parameters: { service_tier: 'flex' } })).toBe('special')
    expect(given({ model_parameters: { service_tier: 'default' } })).toBe('Standard')
    expect(given({ metadata: { service_tier: 'flex' } })).toBe('Standard')
    expect(given({})).toBe('Standard')
    expect(
      tierOf([{ ...condition, source: 'metadata' }], { usageDetails: { input: 1 }, attributes: { metadata: { service_tier: 'batch' } } }),
    ).toBe('special')
  })

  test('a tier applies when all of its conditions hold, and never without conditions', () => {
    expect(tierOf([usage('gt', 1), usage('lt', 1)])).toBe('Standard')
    expect(tierOf([usage('gt', 1), usage('lt', 101)])).toBe('special')
    expect(tierOf([])).toBe('Standard')
  })

  test('the first non-default tier that applies wins, by ascending priority', () => {
    const tiers = [conditional('second', 20, [usage('gt', 1)]), tier({ input: '1' }), conditional('first', 3, [usage('gt', 1)])]
    expect(ask(catalogOf([model({ tiers })]), { usageDetails: { input: 9 } })).toMatchObject({
      pricingTierName: 'first',
      totalCost: '27',
    })
  })

  test.each([
    ['null', null],
    ['no object', 'gt'],
    ['of no kind', { operator: 'gt' }],
    ['an unknown operator', usage('constructor', 1)],
    ['a text as value', usage('gt', '1')],
    ['NaN', usage('neq', Number.NaN)],
    ['a negative value', usage('gt', -1)],
    ['a bad pattern', { ...usage('gte', 0), usageDetailPattern: '(' }],
    ['a pattern with lookahead', { ...usage('gte', 0), usageDetailPattern: '(?=a)' }],
    ['a long pattern', { ...usage('gte', 0), usageDetailPattern: 'a'.repeat(201) }],
    ['an unknown source', { source: 'input', key: 'k', operator: 'in', values: ['v'] }],
    ['no values', { source: 'metadata', key: 'k', operator: 'in', values: [] }],
    ['no key', { source: 'metadata', key: '', operator: 'in', values: ['v'] }],
  ])('an invalid condition never holds and causes a warning: %s', (_, condition) => {
    const tiers = [tier({ input: '1' }), conditional('special', 1, [condition])]
    const catalog = catalogOf([model({ tiers })])
    expect(catalog.warnings).toHaveLength(1)
    expect(ask(catalog, { usageDetails: { input: 1, a: 5 } }).pricingTierName).toBe('Standard')
  })

  test('without a default tier, it is possible that no tier applies, and an invalid price causes a warning', () => {
    const none = catalogOf([model({ tiers: [conditional('special', 1, [usage('gt', 10)])] })])
    expect(ask(none, { usageDetails: { input: 1 } })).toMatchObject({ pricingTierId: null, costDetails: {}, modelId: 'm' })
    const broken = at({ input: '-1', output: 'x', other: '1e-3' })
    expect(broken.warnings).toHaveLength(2)
    expect(ask(broken, { usageDetails: { input: 1, output: 1, other: 3 } }).costDetails).toEqual({ other: '0.003', total: '0.003' })
  })
})

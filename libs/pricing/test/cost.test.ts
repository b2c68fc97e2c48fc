import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Amounts } from '../src/amounts.ts'
import { moneyText } from '../src/money.ts'
import { ask, catalogOf, model, tier } from './catalogs.ts'
import { costUnits, providedCounts, readCosts, readUsage, usageUnits } from './provided.ts'

const priced = catalogOf([model()])
const at = (prices: Readonly<Record<string, string>>) => catalogOf([model({ tiers: [tier(prices)] })])

describe('§8.2 usage', () => {
  test('uses only provided entries that are counts of 0 or more', () => {
    const usageDetails = { a: 1, b: '2', c: 0, d: -1, e: 1.5, f: Number.NaN, g: 'x', h: null, i: { j: 1 }, k: true, l: 1e30, m: 5n, n: '' }
    const answer = ask(priced, { usageDetails })
    expect(answer.usageDetails).toEqual({ a: 1n, b: 2n, c: 0n, m: 5n, total: 8n })
    expect(answer.counts.unusable).toBe(9)
  })

  test('total is the sum of all entries when it is missing', () => {
    expect(
      ask(priced, { usageDetails: { input: 60, input_cached_tokens: 40, output: 20, output_reasoning_tokens: 10 } }).usageDetails,
    ).toEqual({
      input: 60n,
      input_cached_tokens: 40n,
      output: 20n,
      output_reasoning_tokens: 10n,
      total: 130n,
    })
    expect(ask(priced, { usageDetails: { input: 1, total: 7 } }).usageDetails).toEqual({ input: 1n, total: 7n })
    expect(ask(priced, { usageDetails: {} }).usageDetails).toEqual({})
  })

  test('omits a sum beyond UInt64, while its parts stay exact', () => {
    const most = 2n ** 64n - 1n
    expect(ask(priced, { usageDetails: { input: most, output: 1 } }).usageDetails).toEqual({ input: most, output: 1n })
    expect(ask(priced, { usageDetails: { input: most - 1n, output: '1' } }).usageDetails).toMatchObject({ total: most })
    expect(ask(priced, { usageDetails: { input: 2n ** 64n } }).usageDetails).toEqual({})
  })

  test.each([
    [{ a: 100, b: 1, total: 100 }, 0],
    [{ a: 100, b: 2, total: 100 }, 1],
    [{ a: 1000, b: 10, total: 1000 }, 0],
    [{ a: 1000, b: 11, total: 1000 }, 1],
    [{ a: 1, total: 1000 }, 0],
    [{ a: 1, b: 2 }, 0],
  ])('total_mismatch when the parts exceed the total by more than max(1, 1 %%): %j → %d', (usageDetails, mismatches) => {
    expect(ask(priced, { usageDetails }).counts.totalMismatch).toBe(mismatches)
  })

  test('gives no values without model, usage and cost', () => {
    const { counts, ...answer } = ask(priced, { modelName: '', input: 'text' })
    expect(answer).toEqual({
      usageDetails: {},
      costDetails: {},
      totalCost: null,
      modelId: null,
      pricingTierId: null,
      pricingTierName: null,
    })
    expect(counts.unknownModel).toBe(0)
  })
})

describe('§8.2 costs', () => {
  test('1. a provided cost is used unchanged instead of a computed one, and the tier is still reported', () => {
    const answer = ask(priced, { usageDetails: { input: 5, output: 5 }, costDetails: { input: 0.5 } })
    expect(answer).toMatchObject({ costDetails: { input: '0.5' }, totalCost: '0.5', modelId: 'm', pricingTierId: 'standard' })
  })

  test('1. the total of a provided cost is the given one, or else the sum of all parts', () => {
    expect(ask(priced, { costDetails: { input: 1, output: 2, total: 9 } }).totalCost).toBe('9')
    expect(ask(priced, { costDetails: { input: 0.1, output: 0.2 } })).toMatchObject({ totalCost: '0.3', costDetails: { total: '0.3' } })
    expect(ask(priced, { costDetails: { input: 1, output: 2, cache: 3 } }).totalCost).toBe('6')
    expect(ask(priced, { costDetails: { output: 2 } }).totalCost).toBe('2')
  })

  test('1. without usage there is no tier', () => {
    expect(ask(priced, { costDetails: { total: 1 } })).toMatchObject({ modelId: 'm', pricingTierId: null, totalCost: '1' })
  })

  test('1. a provided cost needs no model', () => {
    expect(ask(priced, { modelName: '', costDetails: { total: 0.25 } })).toMatchObject({ totalCost: '0.25', modelId: null })
  })

  test.each([[{}], [{ total: null }], [{ input: null, output: null }], [[1]], ['1'], [null], [7]])(
    '1. %j is not a provided cost',
    costDetails => {
      expect(ask(priced, { usageDetails: { input: 2 }, costDetails }).totalCost).toBe('2')
    },
  )

  test('1. a provided cost may be 0 or negative', () => {
    expect(ask(priced, { usageDetails: { input: 2 }, costDetails: { total: 0 } }).totalCost).toBe('0')
    expect(ask(priced, { usageDetails: { input: 2 }, costDetails: { total: -0.5 } }).totalCost).toBe('-0.5')
  })

  test('2. multiplies price and units of each priced usage type, and the total is the exact sum', () => {
    const catalog = at({ input: '0.0035', output: '0.0035' })
    expect(ask(catalog, { usageDetails: { input: 1, output: 2, unpriced: 50 } }).costDetails).toEqual({
      input: '0.0035',
      output: '0.007',
      total: '0.0105',
    })
  })

  test('2. a price for `total` gives the total', () => {
    expect(ask(at({ total: '0.5', input: '1' }), { usageDetails: { input: 1, output: 3 } }).costDetails).toEqual({ input: '1', total: '2' })
  })

  test('2. without any price there is no cost', () => {
    expect(ask(at({ image: '1' }), { usageDetails: { input: 1 } })).toMatchObject({
      costDetails: {},
      totalCost: null,
      pricingTierId: 'standard',
    })
  })

  test('2. truncates digits beyond the twelfth once, after the sum', () => {
    const catalog = at({ a: '0.0000000000005', b: '0.0000000000005' })
    expect(ask(catalog, { usageDetails: { a: 1, b: 1 } }).costDetails).toEqual({ a: '0', b: '0', total: '0.000000000001' })
  })

  test('3. without a model or usage the cost is empty, but the model is reported', () => {
    expect(ask(priced, { modelName: 'other', usageDetails: { input: 1 } })).toMatchObject({
      costDetails: {},
      modelId: null,
      pricingTierId: null,
      usageDetails: { input: 1n, total: 1n },
      counts: { unknownModel: 1 },
    })
    expect(ask(priced, {})).toMatchObject({ costDetails: {}, modelId: 'm', pricingTierId: null })
  })

  test('sums and products are exact integers, whatever their size', () => {
    const price = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 20 }))
    const usage = fc.oneof(fc.nat(1_000_000), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
    fc.assert(
      fc.property(fc.array(fc.tuple(usage, price), { minLength: 1, maxLength: 5 }), entries => {
        const prices = Object.fromEntries(entries.map(([, [units, scale]], i) => [`k${i}`, decimalText(units, scale)]))
        const usageDetails = Object.fromEntries(entries.map(([count], i) => [`k${i}`, count]))
        const { costDetails } = ask(at(prices), { usageDetails })
        // At a scale of 20 decimal places, each price is an integer.
        const products = entries.map(([count, [units, scale]]) => BigInt(count) * units * 10n ** BigInt(20 - scale))
        const stored = (atScale20: bigint) => moneyText(clampedUnits(atScale20 / 10n ** 8n))
        const expected = Object.fromEntries(products.map((product, i) => [`k${i}`, stored(product)]))
        expect(costDetails).toEqual({ ...expected, total: stored(products.reduce((a, b) => a + b)) })
      }),
    )
  })
})

const decimalText = (units: bigint, scale: number) => {
  const digits = units.toString().padStart(scale + 1, '0')
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
const clampedUnits = (units: bigint) => (units >= 10n ** 18n ? 999_999_999_999_000_000n : units)

describe('§8.5 limits of numbers', () => {
  test.each([
    [999999.9999999, '999999.9999999', 0],
    [1e6, '999999.999999', 1],
    [-1e6, '-999999.999999', 1],
    [-999999.5, '-999999.5', 0],
    [1e30, '999999.999999', 1],
    [1e-13, '0', 0],
    [0.1, '0.1', 0],
    [5e-324, '0', 0],
    [1.7976931348623157e308, '999999.999999', 1],
    [10n ** 40n, '999999.999999', 1],
  ])('Appendix C: a provided cost of %s is stored as %s', (value, stored, clamped) => {
    const answer = ask(priced, { costDetails: { total: value } })
    expect([answer.totalCost, answer.counts.clamped]).toEqual([stored, clamped])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, '0.5', '', true, { total: 1 }, [1], null, undefined])(
    '%j is not a number and becomes 0',
    value => {
      const answer = ask(priced, { costDetails: { other: 1, total: value } })
      expect([answer.costDetails, answer.counts.unusable]).toEqual([{ other: '1', total: '0' }, 1])
    },
  )

  test('also clamps computed costs and their total', () => {
    const answer = ask(at({ a: '600000', b: '600000', c: '1e9' }), { usageDetails: { a: 1, b: 1, c: 1 } })
    expect(answer.costDetails).toEqual({ a: '600000', b: '600000', c: '999999.999999', total: '999999.999999' })
    expect(answer.counts.costClamped).toBe(2)
    expect(ask(priced, { costDetails: { input: 600_000, output: 600_000 } })).toMatchObject({
      totalCost: '999999.999999',
      counts: { costClamped: 1 },
    })
  })

  test('numbers that JSON parsing kept as text keep their digits', () => {
    const json = JSON as typeof JSON & { rawJSON(text: string): unknown }
    expect(moneyText(costUnits(json.rawJSON('0.123456789012345'), providedCounts()))).toBe('0.123456789012')
    expect(usageUnits(json.rawJSON('9007199254740993'))).toBe(9007199254740993n)
    expect([usageUnits(json.rawJSON('3.0')), usageUnits(json.rawJSON('1e3')), usageUnits(json.rawJSON('0.5'))]).toEqual([
      3,
      1000,
      undefined,
    ])
  })
})

test('no value causes an exception or a result that a column cannot hold', () => {
  const anything = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc.dictionary(fc.string(), fc.anything({ withBigInt: true })),
  )
  fc.assert(
    fc.property(anything, anything, (usageDetails, costDetails) => {
      const answer = ask(priced, { usageDetails, costDetails })
      for (const count of Object.values(answer.usageDetails)) expect(count >= 0n && count < 2n ** 64n).toBe(true)
      for (const cost of Object.values(answer.costDetails)) expect(Math.abs(Number(cost))).toBeLessThanOrEqual(1e6)
    }),
    { numRuns: 500 },
  )
})

test('refilled amounts contain no previous values', () => {
  const [usage, costs, counts] = [new Amounts(), new Amounts(), providedCounts()]
  readUsage({ a: 1, b: 2, c: 3 }, usage, counts)
  readUsage({ __proto__: null, b: 5 }, usage, counts)
  readCosts({ x: 1 }, costs, counts)
  readCosts({ x: null }, costs, counts)
  expect([usage.toObject(), costs.toObject()]).toEqual([{ b: 5n }, {}])
})

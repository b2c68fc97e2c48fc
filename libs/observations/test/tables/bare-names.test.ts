// Clients can report costs, tools, and totals in attributes whose names have no prefix.
import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const counts = (value: unknown) => Object.fromEntries(Object.entries(value as object).map(([name, units]) => [name, Number(units)]))
const costs = (values: Values) => counts(map(values)['cost_details'])
const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'unknown-model' }

describe('money without a prefix', () => {
  test.each(['cost', 'total_cost', 'totalCost', 'cost.total', 'estimated_cost', 'cost_in_usd'])('%s of a model call is its cost', name => {
    expect(costs({ ...call, [name]: 0.25 })).toEqual({ total: 0.25 })
  })
  test('adds up the parts', () => {
    expect(costs({ ...call, input_cost: 0.25, outputCost: '0.5' })).toEqual({ input: 0.25, output: 0.5, total: 0.75 })
  })
  test('a name with a prefix takes precedence', () => {
    expect(costs({ ...call, cost: 9, 'gen_ai.usage.cost': 0.5 })).toEqual({ total: 0.5 })
  })
  test.each([{}, { 'gen_ai.operation.name': 'execute_tool' }, { 'gen_ai.operation.name': 'invoke_agent' }])(
    'of %o it is no cost',
    values => {
      const row = map({ ...values, cost: 12, total_cost: 12 })
      expect(counts(row['cost_details'])).toEqual({})
      expect(row.metadata).toMatchObject({ 'attributes.cost': '12', 'attributes.total_cost': '12' })
    },
  )
  test.each(['cost_center', 'costume', 'lowest_cost_route', 'max_cost', 'cost_limit'])('%s is not a cost', name => {
    expect(costs({ ...call, [name]: 1 })).toEqual({})
  })
})

describe('money in another currency', () => {
  test.each([
    ['gen_ai.usage.cost', 'gen_ai.usage.cost_currency'],
    ['gen_ai.usage.cost', 'gen_ai.cost.currency'],
    ['llm.cost.total', 'llm.cost.currency'],
    ['cost', 'currency'],
    ['total_cost', 'cost_currency'],
  ])('%s with %s is not counted as dollars', (money, currency) => {
    const row = map({ ...call, [money]: 0.5, [currency]: 'EUR' })
    expect(counts(row['cost_details'])).toEqual({})
    expect(row.metadata[`attributes.${money}`]).toBe('0.5')
    expect(row.explained.notes).toContainEqual({ about: 'left', name: money, why: 'money in EUR: only US dollars are counted' })
    for (const dollars of ['USD', 'usd', 'US$', '$']) expect(costs({ ...call, [money]: 0.5, [currency]: dollars })).toEqual({ total: 0.5 })
  })
  test('an unprefixed currency does not apply to money with a prefix', () => {
    expect(costs({ ...call, 'gen_ai.usage.cost': 0.5, currency: 'EUR' })).toEqual({ total: 0.5 })
  })
  test('reads the currency in a map', () => {
    expect(costs({ ...call, 'gen_ai.usage.cost': '{"total":0.5,"currency":"EUR"}' })).toEqual({})
    expect(costs({ ...call, 'gen_ai.usage.cost': '{"total":0.5,"currency":"USD"}' })).toEqual({ total: 0.5 })
  })
})

describe('a total alone', () => {
  test('is the input of an embedding', () => {
    const row = map({ 'gen_ai.operation.name': 'embeddings', 'gen_ai.request.model': 'unknown-model', 'gen_ai.usage.total_tokens': 12 })
    expect(counts(row['usage_details'])).toEqual({ input: 12, total: 12 })
  })
  test('stays a total for a generation', () => {
    expect(counts(map({ ...call, 'gen_ai.usage.total_tokens': 12 })['usage_details'])).toEqual({ total: 12 })
  })
})

describe('tools', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const json = JSON.stringify
  test.each<[string, Values]>([
    ['gen_ai.request.tools', { 'gen_ai.request.tools': json([{ name: 'a', description: 'd', parameters }]) }],
    [
      'parts of a definition',
      {
        'gen_ai.tool.definitions.0.name': 'a',
        'gen_ai.tool.definitions.0.description': 'd',
        'gen_ai.tool.definitions.0.parameters': json(parameters),
      },
    ],
    [
      'parts below a function',
      {
        'gen_ai.tool.definitions.0.type': 'function',
        'gen_ai.tool.definitions.0.function.name': 'a',
        'gen_ai.tool.definitions.0.function.description': 'd',
        'gen_ai.tool.definitions.0.function.parameters.type': 'object',
        'gen_ai.tool.definitions.0.function.parameters.properties.city.type': 'string',
      },
    ],
    ['a definition for each index', { 'gen_ai.tool.definitions.0': json({ name: 'a', description: 'd', parameters }) }],
    [
      'parts of gen_ai.request.tools',
      {
        'gen_ai.request.tools.0.name': 'a',
        'gen_ai.request.tools.0.description': 'd',
        'gen_ai.request.tools.0.parameters': json(parameters),
      },
    ],
  ])('%s', (_, values) => {
    const row = map({ ...call, ...values, 'input.value': 'hi' })
    const found = JSON.parse((row['tool_definitions'] as Record<string, string>)['a']!) as { description: string; parameters: string }
    expect({ ...found, parameters: JSON.parse(found.parameters) as unknown }).toEqual({ description: 'd', parameters })
    expect(JSON.parse(row['input'] as string)).toMatchObject({ prompt: 'hi' })
    expect(Object.keys(row.metadata).filter(name => name.includes('tool'))).toEqual([])
    expect(row['model_parameters']).toBe('{}')
  })
  test('a value other than a list of tools stays a parameter', () => {
    expect(map({ ...call, 'gen_ai.request.tools': 'auto' })['model_parameters']).toBe('{"tools":"auto"}')
  })
})

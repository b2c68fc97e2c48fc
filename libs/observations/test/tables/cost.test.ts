import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const counts = (value: unknown) => Object.fromEntries(Object.entries(value as object).map(([name, units]) => [name, Number(units)]))
const costs = (values: Values, facts?: Facts) => counts(map(values, facts)['cost_details'])
const scope = (name: string): Facts => ({ scope: { name } })

describe('2.11 cost details', () => {
  const all = { 'svc.observation.cost_details': '{"input":0.5}', 'gen_ai.usage.cost': 7, 'llm.cost.total': 9 }

  test('2.11 svc.observation.cost_details before everything', () => expect(costs(all)).toEqual({ input: 0.5, total: 0.5 }))
  test('2.11 gen_ai.usage.cost as total', () => expect(costs({ 'gen_ai.usage.cost': 7, 'llm.cost.total': 9 })).toEqual({ total: 7 }))
  test('2.11 llm.cost.total as total', () => expect(costs({ 'llm.cost.total': 9 })).toEqual({ total: 9 }))
  test('2.11 none', () => expect(costs({})).toEqual({}))
  test.each(['{}', '[]', '5'])('2.11 %s means no cost and ends the search', text => {
    expect(costs({ ...all, 'svc.observation.cost_details': text })).toEqual({})
  })
  test('2.11 invalid JSON leaves the decision to the next rule', () =>
    expect(costs({ ...all, 'svc.observation.cost_details': '{' })).toEqual({ total: 7 }))
  test('2.11 negative numbers and numeric texts are stored, and other values are omitted and stay in the metadata', () => {
    const text = '{"a":-1.5,"b":"0.5","c":null,"d":{"e":1}}'
    const row = map({ 'svc.observation.cost_details': text }, scope('svc-sdk'))
    expect(counts(row['cost_details'])).toEqual({ a: -1.5, b: 0.5, total: -1 })
    expect(row.metadata['attributes.svc.observation.cost_details']).toBe(text)
  })
  test('8.2 the total of provided costs is their sum, however many there are, unless a total is provided', () => {
    const details = (text: string) => costs({ 'svc.observation.cost_details': text })
    expect(details('{"input":0.1,"output":0.2}')).toEqual({ input: 0.1, output: 0.2, total: 0.3 })
    expect(details('{"input":0.1,"output":0.2,"x":1}')).toEqual({ input: 0.1, output: 0.2, x: 1, total: 1.3 })
    expect(details('{"input":0.1}')).toEqual({ input: 0.1, total: 0.1 })
    expect(details('{"x":0.1,"y":-0.3}')).toEqual({ x: 0.1, y: -0.3, total: -0.2 })
    expect(details('{"input":0.1,"output":null}')).toEqual({ input: 0.1, total: 0.1 })
    expect(details('{"input":0.1,"total":9}')).toEqual({ input: 0.1, total: 9 })
    expect(details('{"input":null}')).toEqual({})
  })
  test('appendix C 999999.9999999 is kept, 1e6 is clamped', () => {
    expect(costs({ 'svc.observation.cost_details': '{"a":999999.9999999,"b":1e6,"c":-1e9}' })).toEqual({
      a: 999999.9999999,
      b: 999999.999999,
      c: -999999.999999,
      total: 999999.9999999,
    })
  })
  test.each(['NaN', 'Infinity', 'much', ''])('8.5 %o is not a cost', value => {
    expect(costs({ 'gen_ai.usage.cost': value, 'llm.cost.total': 2 })).toEqual({ total: 2 })
  })
})

import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const pairs = (row: ReturnType<typeof map>, column: string) => {
  const names = row[`${column}_names`] as readonly string[]
  return Object.fromEntries(names.map((name, i) => [name, (row[`${column}_values`] as readonly string[])[i]]))
}

describe('2.13 experiment attributes', () => {
  const texts = [
    ['svc.experiment.id', 'experiment_id'],
    ['svc.experiment.name', 'experiment_name'],
    ['svc.experiment.description', 'experiment_description'],
    ['svc.experiment.dataset.id', 'experiment_dataset_id'],
    ['svc.experiment.item.id', 'experiment_item_id'],
    ['svc.experiment.item.root_observation_id', 'experiment_item_root_span_id'],
    ['svc.experiment.item.expected_output', 'experiment_item_expected_output'],
  ] as const

  test.each(texts)('2.13 %s is %s', (key, column) => {
    const row = map({ [key]: 'text' })
    expect(row[column]).toBe('text')
    expect(row.explained.columns[column]).toMatchObject({ rule: key, attributes: [key] })
  })
  test.each(texts)('2.13 %s: omits falsy values, joins lists, and stores other values as text', (key, column) => {
    for (const nothing of ['', 0, false]) expect(map({ [key]: nothing })[column]).toBe('')
    expect(map({ [key]: ['a', 'b'] })[column]).toBe('a,b')
    expect(map({ [key]: 42 })[column]).toBe('42')
  })
  test.each([
    ['2026-11-21T12:00:00.123456Z', '2026-11-21 12:00:00.123456'],
    ['2026-11-21T12:00:00.123+02:00', '2026-11-21 10:00:00.123000'],
    ['2026-11-21T12:00:00+00:00', '2026-11-21 12:00:00.000000'],
    ['2026-11-21 12:00:00', '2026-11-21 12:00:00.000000'],
    ['2026-11-21', '2026-11-21 00:00:00.000000'],
  ])('2.13 svc.experiment.item.version %s is UTC', (text, expected) => {
    expect(map({ 'svc.experiment.item.version': text })['experiment_item_version']).toBe(expected)
  })
  test.each(['v1', '3', 'yesterday', '2026-13-45', '9999999-01-01'])(
    'appendix C experiment item version %s is omitted, counted, and kept in the metadata',
    text => {
      const row = map({ 'svc.experiment.item.version': text }, { scope: { name: 'svc-sdk' } })
      expect(row['experiment_item_version']).toBeNull()
      expect(row.metadata['attributes.svc.experiment.item.version']).toBe(text)
    },
  )
})

describe.each([
  ['svc.experiment.metadata', 'experiment_metadata'],
  ['svc.experiment.item.metadata', 'experiment_item_metadata'],
])('2.13 %s', (key, column) => {
  test('2.13 JSON text in one key', () => {
    const text = '{"deep":{"x":1,"e":{}},"list":[1,"a"],"s":"t","b":true,"n":null}'
    expect(pairs(map({ [key]: text }), column)).toEqual({ 'deep.x': '1', list: '[1,"a"]', s: 't', b: 'true', n: '' })
  })
  test('2.13 dotted keys with one leaf each', () => {
    expect(pairs(map({ [`${key}.deep.x`]: '1', [`${key}.s`]: 't', [`${key}.o`]: '{"p":{"q":2}}' }), column)).toEqual({
      'deep.x': '1',
      s: 't',
      'o.p.q': '2',
    })
  })
  test('2.13 dotted keys override the members of the JSON', () => {
    expect(pairs(map({ [`${key}.a`]: 'mine', [key]: '{"a":{"b":1},"c":2}' }), column)).toEqual({ a: 'mine', c: '2' })
  })
  test('2.13 a value other than an object stays in the metadata', () => {
    const row = map({ [key]: 'text' }, { scope: { name: 'svc-sdk' } })
    expect(pairs(row, column)).toEqual({})
    expect(row.metadata[`attributes.${key}`]).toBe('text')
  })
})

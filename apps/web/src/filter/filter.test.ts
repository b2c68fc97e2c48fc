// Converts the filter bar's text to the API's filter and back. No conversion may change the meaning.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FilterCondition } from './condition.ts'
import { barFields } from './fields.ts'
import { parseFilter } from './parse.ts'
import { writeFilter } from './write.ts'

const conditionsOf = (text: string) => {
  const parsed = parseFilter(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.conditions
}

test.each<[string, readonly FilterCondition[]]>([
  ['name:chat', [{ type: 'string', column: 'name', operator: '=', value: 'chat' }]],
  ['model:(a|b)', [{ type: 'stringOptions', column: 'model', operator: 'any of', value: ['a', 'b'] }]],
  ['-env:dev', [{ type: 'stringOptions', column: 'environment', operator: 'none of', value: ['dev'] }]],
  ['status:~timeout', [{ type: 'string', column: 'statusMessage', operator: 'contains', value: 'timeout' }]],
  ['name:^a', [{ type: 'string', column: 'name', operator: 'starts with', value: 'a' }]],
  ['latency:>2s', [{ type: 'number', column: 'latency', operator: '>', value: 2 }]],
  ['latency:<340ms', [{ type: 'number', column: 'latency', operator: '<', value: 0.34 }]],
  [
    'cost:0.1..1',
    [
      { type: 'number', column: 'totalCost', operator: '>=', value: 0.1 },
      { type: 'number', column: 'totalCost', operator: '<=', value: 1 },
    ],
  ],
  ['metadata.a.b:>3', [{ type: 'numberObject', column: 'metadata', key: 'a.b', operator: '>', value: 3 }]],
  ['metadata.plan:"3"', [{ type: 'stringObject', column: 'metadata', key: 'plan', operator: '=', value: '3' }]],
  ['metadata.plan:(pro|"3")', [{ type: 'categoryOptions', column: 'metadata', key: 'plan', operator: 'any of', value: ['pro', '3'] }]],
  ['-metadata.plan:pro', [{ type: 'categoryOptions', column: 'metadata', key: 'plan', operator: 'none of', value: ['pro'] }]],
  ['-metadata.n:3', [{ type: 'categoryOptions', column: 'metadata', key: 'n', operator: 'none of', value: ['3'] }]],
  ['score.acc:<0.5', [{ type: 'numberObject', column: 'scores_avg', key: 'acc', operator: '<', value: 0.5 }]],
  ['score.tone:rude', [{ type: 'categoryOptions', column: 'score_categories', key: 'tone', operator: 'any of', value: ['rude'] }]],
  ['tags:(a&b)', [{ type: 'arrayOptions', column: 'traceTags', operator: 'all of', value: ['a', 'b'] }]],
  ['has:output', [{ type: 'boolean', column: 'hasOutput', operator: '=', value: true }]],
  ['-has:user', [{ type: 'null', column: 'userId', operator: 'is null', value: '' }]],
  ['root:true', [{ type: 'boolean', column: 'isRootObservation', operator: '=', value: true }]],
  ['refund', [{ type: 'string', column: 'input', operator: 'matches', value: 'refund' }]],
  ['"where is"', [{ type: 'string', column: 'input', operator: 'matches', value: 'where is' }]],
  ['start:>2026-11-26T16:00:00Z', [{ type: 'datetime', column: 'startTime', operator: '>', value: '2026-11-26T16:00:00Z' }]],
  ['', []],
])('%s', (text, conditions) => {
  expect(conditionsOf(text)).toEqual(conditions)
})

test.each([
  ['name:a or name:b', 'or', /cannot be combined with "or"/],
  ['model:"a', 'model:"a'.slice(6), /closing quotation mark is missing/],
  ['model:(a|b', 'model:(a|b', /not closed/],
  ['nowhere:x', 'nowhere:x', /no field nowhere/],
  ['latency:slow', 'latency:slow', /takes a number/],
  ['root:maybe', 'root:maybe', /true or false/],
  ['name:a input:~b', 'input:~b', /Add a word/],
  ['-refund', '-refund', /Add a word/],
])('%s fails at its token', (text, token, sentence) => {
  const parsed = parseFilter(text)
  expect(parsed).toMatchObject({ ok: false, message: expect.stringMatching(sentence) })
  expect(parsed.ok ? '' : text.slice(parsed.from, parsed.to)).toBe(token)
})

// Random texts. Stored texts contain no unpaired surrogates, so these texts contain none either.
const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('or', 'true', '3', '-1', '(a|b)', '"', '\\', '>2', 'a:b', 'metadata.x', ' '),
)
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value))
const columnsOf = (...kinds: readonly string[]) =>
  fc.constantFrom(...barFields.filter(({ kind }) => kinds.includes(kind)).map(({ column }) => column))
const order = fc.constantFrom('>', '<', '>=', '<=')
const keyed = { key: texts }

const conditions: fc.Arbitrary<FilterCondition> = fc.oneof(
  fc.record({
    type: fc.constant('string'),
    column: columnsOf('text'),
    operator: fc.constantFrom('=', 'contains', 'does not contain', 'starts with', 'ends with'),
    value: texts,
  }),
  fc.record({
    type: fc.constant('string'),
    column: columnsOf('searched'),
    operator: fc.constantFrom('=', 'contains', 'does not contain', 'starts with', 'ends with', 'matches'),
    value: texts,
  }),
  fc.record({
    type: fc.constant('stringOptions'),
    column: columnsOf('text'),
    operator: fc.constantFrom('any of', 'none of'),
    value: fc.array(texts, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('arrayOptions'),
    column: columnsOf('list'),
    operator: fc.constantFrom('none of', 'all of'),
    value: fc.array(texts, { maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('arrayOptions'),
    column: columnsOf('list'),
    operator: fc.constant('any of'),
    value: fc.array(texts, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('number'),
    column: columnsOf('number', 'seconds'),
    operator: fc.oneof(order, fc.constant('=')),
    value: numbers,
  }),
  fc.record({
    type: fc.constant('datetime'),
    column: columnsOf('time'),
    operator: order,
    value: fc.date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2299-01-01') }).map(date => date.toISOString()),
  }),
  fc.record({ type: fc.constant('boolean'), column: columnsOf('boolean'), operator: fc.constantFrom('=', '<>'), value: fc.boolean() }),
  fc.record({
    type: fc.constant('null'),
    column: columnsOf('text', 'number', 'seconds', 'time'),
    operator: fc.constantFrom('is null', 'is not null'),
    value: fc.constant(''),
  }),
  fc.record({
    ...{ type: fc.constant('stringObject'), column: fc.constant('metadata'), ...keyed },
    operator: fc.constantFrom('=', 'contains', 'does not contain', 'starts with', 'ends with', 'matches'),
    value: texts,
  }),
  fc.record({
    ...{ type: fc.constant('stringObject'), column: fc.constant('metadata'), ...keyed },
    operator: fc.constantFrom('is set', 'is not set'),
    value: fc.constant(''),
  }),
  fc.record({
    ...{ type: fc.constant('numberObject'), column: fc.constantFrom('metadata', 'scores_avg', 'trace_scores_avg'), ...keyed },
    operator: fc.oneof(order, fc.constant('=')),
    value: numbers,
  }),
  fc.record({
    ...{ type: fc.constant('booleanObject'), column: fc.constantFrom('metadata', 'score_booleans', 'trace_score_booleans'), ...keyed },
    operator: fc.constantFrom('=', '<>'),
    value: fc.boolean(),
  }),
  fc.record({
    ...{
      type: fc.constant('categoryOptions'),
      column: fc.constantFrom('metadata', 'score_categories', 'trace_score_categories'),
      ...keyed,
    },
    operator: fc.constantFrom('any of', 'none of'),
    value: fc.array(texts, { maxLength: 4 }),
  }),
) as fc.Arbitrary<FilterCondition>

const search: FilterCondition = { type: 'string', column: 'input', operator: 'matches', value: 'refund' }

test('a filter of the API is unchanged after conversion to text and back, and so is the text', () => {
  fc.assert(
    fc.property(fc.array(conditions, { maxLength: 6 }), more => {
      const filter = [search, ...more]
      const text = writeFilter(filter)!
      expect(conditionsOf(text)).toEqual(filter)
      expect(writeFilter(conditionsOf(text))).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test('any text is parsed, or refused with a position within it', () => {
  const pieces = fc.constantFrom(
    'name',
    ':',
    '"',
    '(',
    ')',
    '|',
    '&',
    '-',
    '.',
    'metadata',
    'score',
    ' ',
    '>',
    '..',
    '1',
    'has',
    'or',
    '\\',
  )
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 12 }).map(all => all.join('')),
      text => {
        const parsed = parseFilter(text)
        if (parsed.ok) expect(conditionsOf(writeFilter(parsed.conditions)!)).toEqual(parsed.conditions)
        else expect(parsed.from).toBeLessThanOrEqual(text.length)
      },
    ),
    { numRuns: 2_000 },
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isExactNumber, keepingDigits, NumberTooLarge, parseExactJson, parseJson } from './index.ts'

const written = (text: string) => JSON.stringify(parseExactJson(text))

test.each([
  '12345678901234567890',
  '-9007199254740993',
  '0.1000000000000000055511151231257827',
  '123456789.123456789123456789',
  '1e309',
  '[1,{"a":18446744073709551616}]',
])('%s keeps its digits', text => {
  expect(written(text)).toBe(text)
})

test.each([
  ['1.0', '1'],
  ['100000000000000000000000', '1e+23'],
  ['1E2', '100'],
  ['-0', '0'],
  ['1.5000000000000000000', '1.5'],
  ['0.000000000000000000000', '0'],
])('%s becomes the number %s', (text, number) => {
  expect(written(text)).toBe(number)
  expect(isExactNumber(parseExactJson(text))).toBe(false)
})

test.each(['1e401', '-1e999999999', '1e-5000', `1${'0'.repeat(500)}`, `0.${'1'.repeat(500)}`])(
  '%s is rejected when digits are limited',
  text => {
    expect(() => parseJson(text, keepingDigits(text, 400))).toThrow(NumberTooLarge)
    expect(written(text)).toBe(text)
  },
)

test('parses other JSON like JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      expect(written(text)).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

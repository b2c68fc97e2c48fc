// Parsing and serializing a JSON text must keep the digits of its numbers.
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../src/span-view/json-text.ts'

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^\\d{1,${maxLength}}$`))
const whole = digits(18).map(text => text.replace(/^0+(?=\d)/, ''))
const fraction = fc.oneof(
  fc.constant(''),
  digits(9).map(text => `.${text}`),
)
const exponent = fc.oneof({ weight: 5, arbitrary: fc.constant('') }, fc.constantFrom('e5', 'E-7', 'e+30'))
const written = fc.tuple(fc.constantFrom('', '-'), whole, fraction, exponent).map(parts => parts.join(''))
const asJavaScript = fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => JSON.stringify(value))

test('numbers are serialized exactly as they were read', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(written, asJavaScript), { maxLength: 4 }), numbers => {
      // If a text contains a fraction, the parser checks every number in the text.
      const text = `{"first":0.5,"list":[${numbers.join(',')}]}`
      expect(JSON.stringify(parseJson(text))).toBe(text)
    }),
    { numRuns: sized(5000, 1000) },
  )
})

test.each([
  '0.7',
  '-0.25',
  '1.50',
  '[0.5,-0]',
  '[0.5,-0.0]',
  '0.000001',
  '0.0000001',
  '123456789.123456',
  '1234567890.1234567',
  '{"a":1e5,"b":0.1}',
  '["12.50",0.1]',
])('%s', text => {
  expect(JSON.stringify(parseJson(text))).toBe(text)
})

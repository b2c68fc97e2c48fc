// The mapping copies compact text without parsing it. Parsing and serializing a compact text must therefore return the same bytes.
import { sourceOf } from '@svc-server/column-store/native'
import { maxNameLength } from '@svc-server/json'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactJson } from '../src/span-view/compact-json.ts'
import { jsonText, parseJson } from '../src/span-view/json-text.ts'

const json = new CompactJson()

/** Other bytes surround the text, as in a request. */
function isCompact(text: string, behind = ''): boolean {
  const { bytes } = sourceOf(`1${text}${behind}`)
  return json.read(bytes, 1, bytes.length - Buffer.byteLength(behind))
}

const name = fc.oneof(fc.constantFrom('role', 'content', '__proto__', 'ü', '1', '-1', '', 'a\\b', 'a"b'), fc.string({ unit: 'grapheme' }))
const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(true, false, null),
)
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
}))
const change = fc.tuple(
  fc.nat(),
  fc.nat({ max: 2 }),
  fc.constantFrom('', ' ', '0', '-', '.', 'e', '"', '\\', '\\u0041', '\\/', ',', '}', ']', '{"a":1,', '\n'),
)

test('compact text is what is serialized', () => {
  fc.assert(
    fc.property(value, fc.array(change, { maxLength: 2 }), (given, changes) => {
      let text = JSON.stringify(given)
      for (const [at, length, piece] of changes) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + piece + text.slice(place + length)
      }
      // The random changes can cut a surrogate pair in half. The test repairs the text.
      text = text.toWellFormed()
      if (!isCompact(text)) return
      expect(jsonText(parseJson(text))).toBe(text)
    }),
    { numRuns: sized(6000, 1200) },
  )
})

test.each([
  '[{"role":"user","content":"Grüße \\"you\\"\\n\\\\"}]',
  '{"a":[1,-1,0,0.5,-0.5,1.50,12345678901234567890],"b":{},"c":[],"d":[true,false,null]}',
  '{"a":{"x":1},"b":{"x":2}}',
  '"text"',
])('%s is compact', text => {
  expect(isCompact(text)).toBe(true)
  expect(isCompact(text, ',"more":1}')).toBe(true)
})

test.each([
  ...['', ' []', '[] ', '[1, 2]', '{"a": 1}', '[1', '[1}', '{"a"}', '{"a":}', '{a:1}', '[1,]', '{"a":1,}', 'tru', 'nul', 'undefined'],
  ...['{"a":1,"a":2}', '{"b":1,"1":2}', '{"a\\n":1}', '"\\u00fc"', '"\\/"', '"\n"', '"open', '"open\\"'],
  ...['-0', '[-0]', '01', '-', '1.', '.5', '1e5', '+1', `{"${'n'.repeat(maxNameLength + 1)}":1}`, `${'['.repeat(40)}${']'.repeat(40)}`],
  `{${Array.from({ length: 40 }, (_, i) => `"n${i}":${i}`).join(',')}}`,
])('%s is not compact', text => {
  expect(isCompact(text)).toBe(false)
  expect(isCompact(text, ']}"')).toBe(false)
})

test('invalid UTF-8 is not compact, because it would be replaced', () => {
  const bytes = Buffer.from('["\xff"]', 'latin1')
  expect(json.read(bytes, 0, bytes.length)).toBe(false)
})

test('the members of an object', () => {
  const { bytes } = sourceOf('{"a":{"b":1},"c":[2,{"d":3}]}')
  expect(json.read(bytes, 0, bytes.length)).toBe(true)
  const textOf = (start: number, end: number) => Buffer.from(bytes.subarray(start, end)).toString()
  const members = Array.from({ length: json.length }, (_, i) => [
    textOf(json.nameStart(i), json.nameEnd(i)),
    textOf(json.start(i), json.end(i)),
  ])
  expect(members).toEqual([
    ['a', '{"b":1}'],
    ['c', '[2,{"d":3}]'],
  ])
  expect([json.find('a'), json.find('c'), json.find('b'), json.find('')]).toEqual([0, 1, -1, -1])
})

test.each([
  ['[{"a":1},{}]', true],
  ['[{"a":1},[]]', false],
  ['[]', false],
  ['[1]', false],
  ['{"a":[{}]}', false],
])('%s is a list of objects: %s', (text, expected) => {
  expect(isCompact(text)).toBe(true)
  expect(json.isListOfObjects).toBe(expected)
})

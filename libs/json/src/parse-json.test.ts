import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from './parse-json.ts'

/** Keys consist of only a few different characters. A key therefore often begins like another key or like an escape. */
const key = fc.string({
  unit: fc.constantFrom('a', 'u', '0', '\\', '"', '\n', '\t', '\u0000', 'é', '你', '\ud83d\ude00', '\ud800'),
  maxLength: 6,
})
const anyKey = fc.oneof({ weight: 8, arbitrary: key }, fc.constantFrom('__proto__', '1', 'toString', 'rawJSON'))
const { value: anyValue } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), key),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 }).map(entries => {
      const object = {}
      for (const [name, value] of entries)
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
      return object
    }),
  ),
}))

/** Writes JSON with random spaces and escapes. */
function written(value: unknown, isEscaped: () => boolean): string {
  const space = () => (isEscaped() ? ' \n' : '')
  if (Array.isArray(value)) return `[${value.map(one => space() + written(one, isEscaped)).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, of]) => `${written(name, isEscaped)}${space()}:${space()}${written(of, isEscaped)}`)
    return `{${members.join(',')}${space()}}`
  }
  if (typeof value !== 'string') return JSON.stringify(value)
  const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
  const letters = [...value].map(letter =>
    isEscaped()
      ? Array.from({ length: letter.length }, (_, at) => unit(letter.charCodeAt(at))).join('')
      : JSON.stringify(letter).slice(1, -1),
  )
  return `"${letters.join('')}"`
}

/** Converts objects to lists of entries, because a comparison of objects would ignore the order of keys and an own `__proto__`. */
const seen = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(seen)
    : typeof value === 'object' && value !== null
      ? { keys: Object.entries(value).map(([name, of]) => [name, seen(of)]) }
      : value

const isWhole = (text: string) => /^(?:0|[1-9]\d*)$/.test(text)
const wholeNumbersFirst = (a: string, b: string): number => Number(isWhole(b)) - Number(isWhole(a))

describe('after any earlier JSON', () => {
  test.for([
    ['{"z":1,"\\\\":0}', '{"z":1,"\\t":2}', ['z', '\t']],
    ['{"z":[],"\\\\":0}', '{"z":1,"\\"":2}', ['z', '"']],
    ['{"m":1,"x\\\\u00":0}', '{"m":1,"x\\u0041bcd":2}', ['m', 'xAbcd']],
    ['{"z":1,"\\\\u":0}', '{"z":1,"\\u4f60\\u597d":2}', ['z', '你好']],
    ['{"id":1,"na\\\\u":0}', '{"id":1,"na\\u006de":2}', ['id', 'name']],
  ] as const)('%s does not affect %s', ([before, text, keys]) => {
    // The test also passes on a runtime that does not have the bug.
    JSON.parse(before)
    parseJson(before)
    expect(Object.keys(parseJson(text) as object)).toEqual(keys)
  })

  test('parses a text exactly as written', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 4 }), anyValue, fc.infiniteStream(fc.boolean()), (before, value, escapes) => {
        const isEscaped = () => escapes.next().value as boolean
        for (const one of before) JSON.parse(written(one, isEscaped))
        expect(seen(parseJson(written(value, isEscaped)))).toEqual(seen(value))
      }),
      { numRuns: 1000 },
    )
  })

  test('parses a key exactly as written, regardless of the keys of earlier objects', () => {
    const single = fc.constantFrom('a', 'b')
    fc.assert(
      fc.property(fc.uniqueArray(single, { minLength: 1 }), anyKey, fc.infiniteStream(fc.boolean()), (first, last, escapes) => {
        const isEscaped = () => escapes.next().value as boolean
        const text = written(last, isEscaped)
        const objectOf = (key: string) => `{${[...first.map(one => JSON.stringify(one)), key].map((one, at) => `${one}:${at}`).join(',')}}`
        JSON.parse(objectOf(JSON.stringify(text.slice(1, 1 + last.length))))
        const meant = new Map([...first, last].map(one => [one, 0]))
        expect(Object.keys(parseJson(objectOf(text)) as object)).toEqual([...meant.keys()].sort(wholeNumbersFirst))
      }),
      { numRuns: 1000 },
    )
  })

  test('of equal keys in any spelling, the last value wins at the position of the first', () => {
    JSON.parse('{"\\\\":0}')
    const read = parseJson('{"\\n":1,"a":2,"\\u000a":3,"\\u0061":4,"\\\\":5,"7":6}')
    expect(seen(read)).toEqual({
      keys: [
        ['7', 6],
        ['\n', 3],
        ['a', 4],
        ['\\', 5],
      ].map(([name, of]) => [name, of]),
    })
  })

  test('passes each value with its source text to the reviver', () => {
    JSON.parse('{"\\\\":0}')
    const read = parseJson('{"\\t":1.50,"a":[{"\\n":2.0}],"\\\\":"x"}', (value, source) =>
      typeof value === 'number' ? `~${source}` : value,
    )
    expect(read).toEqual({ '\t': '~1.50', a: [{ '\n': '~2.0' }], '\\': 'x' })
  })

  test.for(['', '{', '{"\\":1}', '{"a\\x":1}', '{"\\\\":1,}', '[1 2]', '{"\\\\":1} x'])('%s is rejected as invalid', text => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  test('parses nesting deeper than the stack, and a hundred thousand keys, in linear time', () => {
    const deep = 200_000
    parseJson(`${'{"\\\\":'.repeat(deep)}1${'}'.repeat(deep)}`)
    const wide = `{${Array.from({ length: deep }, (_, at) => `"\\\\${at}":${at}`).join(',')}}`
    expect(Object.keys(parseJson(wide) as object).length).toBe(deep)
    const text = `{"a":"${'\\\\'.repeat(deep * 10)}","\\\\":1}`
    expect(Object.keys(parseJson(text) as object)).toEqual(['a', '\\'])
  })
})

// An alignment of two traces must contain every row once and in order. The comparison must report exactly the unequal values as
// differences.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignKeys } from './align.ts'
import { jsonDifferences, wordDifferences } from './differences.ts'

const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })

test('an alignment contains every index once, in order, and pairs equal keys', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const pairs = alignKeys(a, b)
      expect(pairs.flatMap(([x]) => (x < 0 ? [] : [x]))).toEqual(a.map((_, at) => at))
      expect(pairs.flatMap(([, y]) => (y < 0 ? [] : [y]))).toEqual(b.map((_, at) => at))
      for (const [x, y] of pairs) if (x >= 0 && y >= 0) expect(a[x]).toBe(b[y])
    }),
  )
})

test('longer lists are aligned in order of appearance', () => {
  const long = Array.from({ length: 3_000 }, (_, at) => `k${at % 7}`)
  const pairs = alignKeys(['x', ...long], [...long, 'y'])
  expect(pairs.filter(([x, y]) => x >= 0 && y >= 0)).toHaveLength(3_000)
})

test('JSON is compared by path, with numbers as written', () => {
  const a = '{"id":9007199254740993,"tags":["x"],"same":{"deep":[1,2]},"gone":null}'
  const b = '{"id":9007199254740992,"tags":["x","y"],"same":{"deep":[1,2]},"new key":"1"}'
  expect(jsonDifferences(a, b)).toEqual([
    { path: '.id', a: '9007199254740993', b: '9007199254740992' },
    { path: '.tags[1]', a: undefined, b: 'y' },
    { path: '.gone', a: 'null', b: undefined },
    { path: '["new key"]', a: undefined, b: '1' },
  ])
  expect(jsonDifferences('text', '{}')).toBeUndefined()
  fc.assert(
    fc.property(fc.json(), given => {
      expect(jsonDifferences(`[${given}]`, `[${given}]`)).toEqual([])
    }),
  )
})

test('the words of each side add up to the whole text', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 12 }), fc.lorem({ maxCount: 12 }), (a, b) => {
      const pieces = wordDifferences(a, b)
      const side = (of: 'a' | 'b') => pieces.flatMap(piece => (piece.in === 'both' || piece.in === of ? [piece.text] : [])).join('')
      expect([side('a'), side('b')]).toEqual([a, b])
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan } from './nesting.ts'

/** Told once more, on values instead of bytes. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('the depth is that of the value, whatever its strings hold', () => {
  const awkward = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', '}', ']', 'a', 'é') })
  const tree = fc.letrec(tie => ({
    node: fc.oneof({ maxDepth: 6 }, awkward, fc.array(tie('node'), { maxLength: 3 }), fc.dictionary(awkward, tie('node'), { maxKeys: 3 })),
  })).node
  fc.assert(
    fc.property(tree, fc.integer({ min: 0, max: 7 }), (value, limit) => {
      expect(isDeeperThan(Buffer.from(JSON.stringify(value)), limit)).toBe(depthOf(value) > limit)
    }),
  )
})

test('what is no JSON ends', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      expect(typeof isDeeperThan(bytes, 5)).toBe('boolean')
    }),
  )
  expect(isDeeperThan(Buffer.from('"'.repeat(10_001)), 5)).toBe(false)
})

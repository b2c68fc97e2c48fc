import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan } from './nesting.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('the depth of the text equals the depth of the value, even if its strings contain brackets', () => {
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

test('invalid JSON does not loop', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      expect(typeof isDeeperThan(bytes, 5)).toBe('boolean')
    }),
  )
  expect(isDeeperThan(Buffer.from('"'.repeat(10_001)), 5)).toBe(false)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTextDeeperThan } from './index.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('counts the levels of nesting, even if strings contain brackets', () => {
  const letters = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a', ']') })
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8, depthSize: 'max' }), fc.dictionary(letters, letters), fc.nat(9), (value, strings, levels) => {
      const all = [value, strings]
      // The spaces make the text long enough, because the function does not examine a text that is too short to exceed the limit.
      expect(isTextDeeperThan(JSON.stringify(all) + ' '.repeat(2 * levels), levels)).toBe(depthOf(all) > levels)
    }),
    { numRuns: 2000 },
  )
})

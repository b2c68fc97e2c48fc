import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxNameLength } from './long-names.ts'
import { TextMap } from './text-map.ts'

const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', '\ud800'),
  fc.constantFrom('k', '\ud800', '\udfff').chain(end => fc.integer({ min: -1, max: 2 }).map(by => 'k'.repeat(maxNameLength + by) + end)),
)
const step = fc.oneof(fc.record({ set: text, value: fc.nat() }), fc.record({ remove: text }))

test('a TextMap behaves like a Map for keys of any length', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const map = new Map<string, number>()
      const ours = new TextMap<number>()
      for (const one of steps) {
        if ('set' in one) {
          map.set(one.set, one.value)
          ours.set(one.set, one.value)
        } else {
          map.delete(one.remove)
          ours.delete(one.remove)
        }
        expect([ours.size, [...ours]]).toEqual([map.size, [...map]])
      }
      expect([ours.keys(), ours.values()]).toEqual([[...map.keys()], [...map.values()]])
      for (const [key] of map) expect(ours.has(key)).toBe(true)
    }),
  )
})

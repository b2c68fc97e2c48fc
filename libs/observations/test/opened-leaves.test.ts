import { TextMap } from '@svc-server/json'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OpenedLeaves } from '../src/columns/metadata/opened-leaves.ts'

const part = fc.constantFrom('a', 'a-x', 'b', '', 'a/', 'ä')
const name = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join('.'))
const names = fc.uniqueArray(name, { maxLength: 12 })
/** Each key has a list of the names of its leaves. If the list is null, the key itself is a leaf. */
const keys = fc.uniqueArray(fc.tuple(name, fc.option(names)), { selector: ([key]) => key, maxLength: 12 })

test('yields the same leaves in the same order as a walk over all leaves for every key', () => {
  fc.assert(
    fc.property(names, keys, (first, given) => {
      const leaves = new TextMap<string>(first.map(leaf => [leaf, 'first'] as const))
      const walked = new Map(leaves)
      const opened = new OpenedLeaves(leaves)
      for (const [key, children] of given.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        for (const known of [...walked.keys()]) if (known === key || known.startsWith(`${key}.`)) walked.delete(known)
        opened.replace(key)
        const added = children?.map(child => `${key}.${child}`) ?? [key]
        for (const leaf of added) for (const map of [walked, leaves]) map.set(leaf, key)
        if (children !== null) opened.add(key, added)
      }
      expect([...leaves]).toEqual([...walked])
    }),
    { numRuns: 500 },
  )
})

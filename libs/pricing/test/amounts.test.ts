import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Amounts } from '../src/amounts.ts'

test('finds a key at its first position, however many keys there are', () => {
  const amounts = new Amounts()
  const other = new Amounts()
  const keys = fc.array(fc.integer({ min: 0, max: 120 }).map(String), { maxLength: 200 })
  fc.assert(
    fc.property(keys, keys, fc.boolean(), (all, asked, copied) => {
      amounts.clear()
      const added: string[] = []
      for (const key of all) {
        amounts.add(key, 1)
        added.push(key)
        expect(amounts.indexOf(key)).toBe(added.indexOf(key))
      }
      if (copied) other.copy(amounts)
      const read = copied ? other : amounts
      for (const key of asked) expect(read.indexOf(key)).toBe(all.indexOf(key))
    }),
  )
})

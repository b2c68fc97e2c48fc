import { expect, test } from 'vitest'
import { EntryMap } from '../src/span-view/entry-map.ts'

test('keeps the order of first use, and nothing after it was cleared', () => {
  const map = new EntryMap<string | null>()
  for (const [entry, value] of [
    [700, 'a'],
    [3, null],
    [700, 'b'],
  ] as const) {
    map.set(entry, value)
  }
  expect([map.size, map.entryAt(0), map.entryAt(1)]).toEqual([2, 700, 3])
  expect([map.get(700), map.get(3), map.get(4)]).toEqual(['b', null, undefined])
  expect([map.has(3), map.has(4)]).toEqual([true, false])
  map.clear()
  expect([map.size, map.has(3), map.get(700)]).toEqual([0, false, undefined])
  map.set(5, 'c')
  expect([map.size, map.entryAt(0), map.get(5)]).toEqual([1, 5, 'c'])
})

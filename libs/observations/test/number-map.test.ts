// `clear` increases a counter of the map. Maps are cleared for every span, so a counter of 31 bits overflows within weeks. A map must still
// work after this overflow.
import { inNightly, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AttributeIndex } from '../src/span-view/attribute-store.ts'
import { NumberMap } from '../src/span-view/number-map.ts'

const moreThanSpansOfYears = 2 ** 31

describe('after as many spans as 31 bits can count', () => {
  test('contains the values of this span, and none of an earlier span', () => {
    // The map counts the spans. In the nightly run, the map's counter starts at the first span and runs until it overflows. In other runs,
    // the counter starts 1000 spans before the overflow.
    const first = sized(1, moreThanSpansOfYears - 1000)
    const map = new NumberMap(4, first)
    map.set(1, 10)
    for (let i = first; i < moreThanSpansOfYears; i++) map.clear()
    map.set(2, 20)
    expect([map.get(1), map.get(2), map.has(1), map.has(2)]).toEqual([-1, 20, false, true])
    map.clear()
    expect([map.get(1), map.get(2)]).toEqual([-1, -1])
    map.set(1, 30)
    expect([map.get(1), map.get(2)]).toEqual([30, -1])
  })

  inNightly(() =>
    test('finds attributes', () => {
      const index = new AttributeIndex()
      index.set(7, 1)
      for (let i = 1; i < moreThanSpansOfYears + 10; i++) index.clear()
      expect([index.set(7, 3), index.get(7), index.set(7, 4)]).toEqual([-1, 3, 3])
    }),
  )
})

const step = fc.oneof(
  fc.record({ does: fc.constant('set' as const), key: fc.nat(40), value: fc.nat() }),
  fc.record({ does: fc.constant('delete' as const), key: fc.nat(40) }),
  fc.record({ does: fc.constant('clear' as const) }),
)

test('behaves like a map', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const map = new NumberMap(2)
      const model = new Map<number, number>()
      for (const each of steps) {
        if (each.does === 'clear') {
          map.clear()
          model.clear()
        } else if (each.does === 'set') {
          map.set(each.key, each.value)
          model.set(each.key, each.value)
        } else if (model.delete(each.key)) map.delete(each.key)
        for (let key = 0; key <= 41; key++) expect([key, map.get(key), map.has(key)]).toEqual([key, model.get(key) ?? -1, model.has(key)])
      }
    }),
  )
})

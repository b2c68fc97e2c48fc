import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createShares } from './shares.ts'

const limits = { unitsPerSecond: 1000, burst: 2000 }

const step = fc.record({
  afterMs: fc.nat({ max: 3000 }),
  project: fc.constantFrom('a', 'b'),
  load: fc.nat({ max: 2500 }),
})

test('within any period a project takes at most its burst plus its rate for the period, regardless of other projects', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      let now = 0
      const together = createShares(limits, () => now)
      const alone = createShares(limits, () => now)
      const taken: { at: number; load: number }[] = []
      for (const { afterMs, project, load } of steps) {
        now += afterMs
        const granted = together.take(project, load)
        if (project !== 'a') continue
        expect(granted).toBe(alone.take('a', load))
        if (granted) taken.push({ at: now, load })
      }
      for (let from = 0; from < taken.length; from++) {
        let sum = 0
        for (const { at, load } of taken.slice(from)) {
          sum += load
          expect(sum).toBeLessThanOrEqual(limits.burst + ((at - taken[from]!.at) * limits.unitsPerSecond) / 1000 + 1e-6)
        }
      }
    }),
  )
})

test('a request above the burst is refused and takes nothing from requests that fit', () => {
  const shares = createShares(limits, () => 0)
  expect(shares.take('a', 2001)).toBe(false)
  expect(shares.take('a', 2000)).toBe(true)
  expect(shares.take('a', 1)).toBe(false)
})

test('recently seen projects are remembered, regardless of the number of projects', () => {
  let now = 0
  const shares = createShares(limits, () => now)
  for (let i = 0; i < 20_000; i++) {
    now += 0.1
    expect(shares.take(`project-${i}`, 2000)).toBe(true)
  }
  expect(shares.take('project-19999', 2000)).toBe(false)
})

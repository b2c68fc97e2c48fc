import { isAppError } from '@svc-server/errors'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBudget, type Lease } from './budget.ts'

const codeOf = (action: () => unknown) => {
  try {
    action()
    return 'done'
  } catch (error) {
    if (isAppError(error)) return error.code
    throw error
  }
}

test('a key that holds its share is refused with 429, others are not', () => {
  const budget = createBudget({ maxBytes: 100, maxBytesPerKey: 60 })
  const first = budget.reserve('a', 50)
  expect(codeOf(() => budget.reserve('a', 11))).toBe('overloaded')
  expect(codeOf(() => budget.reserve('b', 50))).toBe('done')
  first.release()
  expect(codeOf(() => budget.reserve('a', 50))).toBe('done')
})

test('a full process refuses everybody with 503', () => {
  const budget = createBudget({ maxBytes: 100, maxBytesPerKey: 60 })
  budget.reserve('a', 60)
  expect(codeOf(() => budget.reserve('b', 41))).toBe('at_capacity')
})

test('a refused growth leaves what was held', () => {
  const budget = createBudget({ maxBytes: 100, maxBytesPerKey: 60 })
  const lease = budget.reserve('a', 10)
  expect(codeOf(() => lease.resize(61))).toBe('overloaded')
  expect(lease.bytes).toBe(10)
  expect(budget.usedBytes).toBe(10)
})

test('whatever is reserved, resized and released: the sum is that of the live leases, and never above a limit', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.nat(70),
    pick: fc.nat(20),
    kind: fc.constantFrom('reserve', 'resize', 'release'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const budget = createBudget({ maxBytes: 150, maxBytesPerKey: 80 })
      const live: { key: string; lease: Lease }[] = []
      for (const { kind, key, bytes, pick } of steps) {
        const chosen = live[pick % (live.length || 1)]
        if (kind === 'reserve') codeOf(() => live.push({ key, lease: budget.reserve(key, bytes) }))
        else if (chosen !== undefined && kind === 'resize') codeOf(() => chosen.lease.resize(bytes))
        else if (chosen !== undefined) live.splice(live.indexOf(chosen), 1)[0]!.lease.release()
        const sum = (leases: typeof live) => leases.reduce((total, { lease }) => total + lease.bytes, 0)
        expect(budget.usedBytes).toBe(sum(live))
        expect(budget.usedBytes).toBeLessThanOrEqual(150)
        for (const name of ['a', 'b', 'c']) expect(sum(live.filter(entry => entry.key === name))).toBeLessThanOrEqual(80)
      }
    }),
  )
})

test('releasing twice frees once', () => {
  const budget = createBudget({ maxBytes: 100, maxBytesPerKey: 100 })
  const other = budget.reserve('a', 30)
  const lease = budget.reserve('a', 40)
  lease.release()
  lease.release()
  expect(budget.usedBytes).toBe(other.bytes)
})

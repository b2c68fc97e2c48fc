import { isAppError } from '@svc-server/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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

const full = { maxBytes: 100, maxBytesPerProject: 50 }

test('a lease has no bytes reserved until its first byte', () => {
  const budget = createBudget(full)
  for (let i = 0; i < 100; i++) budget.lease('a')
  expect(budget.usedBytes).toBe(0)
})

test('rejects a project that uses its whole share with 429, but no other project', () => {
  const budget = createBudget(full)
  const first = budget.lease('a')
  first.resize(50)
  expect(codeOf(() => budget.lease('a').resize(1))).toBe('overloaded')
  expect(codeOf(() => budget.lease('b').resize(50))).toBe('done')
  first.release()
  expect(codeOf(() => budget.lease('a').resize(50))).toBe('done')
})

test('a full process rejects a younger request with 503', () => {
  const budget = createBudget(full)
  budget.lease('a').resize(50)
  budget.lease('b').resize(50)
  expect(codeOf(() => budget.lease('c').resize(1))).toBe('at_capacity')
})

test('a lease keeps its bytes when its growth is rejected', () => {
  const budget = createBudget(full)
  const lease = budget.lease('a')
  lease.resize(10)
  expect(codeOf(() => lease.resize(51))).toBe('overloaded')
  expect([lease.bytes, budget.usedBytes]).toEqual([10, 10])
})

describe('the oldest upload evicts younger uploads', () => {
  test('of the same project', () => {
    const budget = createBudget(full)
    const [oldest, second, third] = [budget.lease('a'), budget.lease('a'), budget.lease('a')]
    oldest.resize(10)
    second.resize(20)
    third.resize(20)
    expect(codeOf(() => second.resize(21))).toBe('overloaded')
    oldest.resize(20)
    expect([oldest.bytes, second.bytes, third.bytes]).toEqual([20, 20, 0])
    expect(third.evicted.reason).toMatchObject({ code: 'overloaded' })
    expect(codeOf(() => third.resize(1))).toBe('overloaded')
  })

  test('of the project that has most bytes reserved, when the process is full', () => {
    const budget = createBudget(full)
    const [many, more, other] = [budget.lease('a'), budget.lease('a'), budget.lease('b')]
    many.resize(20)
    more.resize(30)
    budget.lease('c').resize(30)
    other.resize(20)
    other.resize(25)
    expect([more.bytes, other.bytes]).toEqual([0, 25])
    expect(more.evicted.reason).toMatchObject({ code: 'at_capacity' })
  })

  test('but never a body that has arrived, which may still grow', () => {
    const budget = createBudget(full)
    const [whole, oldest] = [budget.lease('a'), budget.lease('a')]
    whole.resize(45)
    whole.arrived()
    oldest.resize(5)
    expect(codeOf(() => oldest.resize(6))).toBe('overloaded')
    const third = budget.lease('a')
    oldest.resize(2)
    third.resize(3)
    whole.resize(48)
    expect([whole.bytes, oldest.bytes, third.bytes]).toEqual([48, 2, 0])
  })
})

const projects = ['a', 'b', 'c', 'd', 'e'] as const
const steps = fc.array(
  fc.record({
    project: fc.constantFrom(...projects),
    bytes: fc.nat(50),
    pick: fc.nat(40),
    kind: fc.constantFrom('lease', 'resize', 'resize', 'resize', 'arrived', 'release'),
  }),
  { maxLength: 120 },
)
const sum = (leases: readonly { readonly lease: Lease }[]) => leases.reduce((total, { lease }) => total + lease.bytes, 0)

test('after any sequence of operations, the used bytes are the sum of the live leases and never exceed a limit', () => {
  fc.assert(
    fc.property(steps, commands => {
      const budget = createBudget(full)
      const live: { project: string; lease: Lease }[] = []
      for (const { kind, project, bytes, pick } of commands) {
        const chosen = live[pick % (live.length || 1)]
        if (kind === 'lease') live.push({ project, lease: budget.lease(project) })
        else if (chosen !== undefined && kind === 'resize') codeOf(() => chosen.lease.resize(bytes))
        else if (chosen !== undefined && kind === 'arrived') chosen.lease.arrived()
        else if (chosen !== undefined) live.splice(live.indexOf(chosen), 1)[0]!.lease.release()
        expect(budget.usedBytes).toBe(sum(live))
        expect(budget.usedBytes).toBeLessThanOrEqual(full.maxBytes)
        for (const name of projects) expect(sum(live.filter(entry => entry.project === name))).toBeLessThanOrEqual(full.maxBytesPerProject)
      }
    }),
  )
})

test('uploads finish under any interleaving: no limit stops the oldest upload, and no project limit stops the oldest upload of a project', () => {
  const chunk = 5
  fc.assert(
    fc.property(
      fc.array(fc.record({ project: fc.constantFrom(...projects), size: fc.integer({ min: 1, max: 50 }), begin: fc.nat(60) }), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.array(fc.nat(40), { minLength: 400, maxLength: 400 }),
      (wanted, picks) => {
        const budget = createBudget(full)
        const arriving: { project: string; size: number; lease: Lease }[] = []
        const waiting = wanted.toSorted((a, b) => a.begin - b.begin)
        let finished = 0
        const oldestOf = (of: typeof arriving) => of.find(({ lease }) => lease.bytes > 0)
        for (let turn = 0; waiting.length > 0 || arriving.length > 0; turn++) {
          while (waiting.length > 0 && (arriving.length === 0 || waiting[0]!.begin <= turn)) {
            const { project, size } = waiting.shift()!
            arriving.push({ project, size, lease: budget.lease(project) })
          }
          const upload = arriving[picks[turn % picks.length]! % arriving.length]!
          const { lease, size, project } = upload
          if (lease.bytes === 0) arriving.push(...arriving.splice(arriving.indexOf(upload), 1))
          const oldest = oldestOf(arriving)
          const oldestOfProjects = projects.map(name => oldestOf(arriving.filter(each => each.project === name)))
          const code = codeOf(() => lease.resize(Math.min(size, lease.bytes + chunk)))
          const lost = arriving.filter(each => each.lease.evicted.aborted || (each === upload && code !== 'done'))
          for (const each of lost) {
            const reason = each === upload ? code : each.lease.evicted.reason.code
            expect(each).not.toBe(oldest)
            if (oldestOfProjects.includes(each)) expect(reason).toBe('at_capacity')
          }
          for (const each of lost) arriving.splice(arriving.indexOf(each), 1)[0]!.lease.release()
          if (code !== 'done' || lease.bytes < size) continue
          finished++
          lease.arrived()
          lease.release()
          arriving.splice(arriving.indexOf(upload), 1)
          expect(project).toBe(upload.project)
        }
        expect(finished).toBeGreaterThan(0)
        expect(budget.usedBytes).toBe(0)
      },
    ),
  )
})

test('releasing a lease twice frees its bytes once', () => {
  const budget = createBudget(full)
  const [other, lease] = [budget.lease('a'), budget.lease('a')]
  other.resize(30)
  lease.resize(20)
  lease.release()
  lease.release()
  expect(budget.usedBytes).toBe(30)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFairEntry } from '../src/entry.ts'
import { createFairQueue } from '../src/queue.ts'
import { createFairTurns } from '../src/turns.ts'

describe('F26 · a fair queue', () => {
  test('an owner’s items keep their order, and no owner is served twice while another owner waits', () => {
    const step = fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'd').map(owner => ({ push: owner })),
      fc.constant({ push: null }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        const queue = createFairQueue<number>()
        const waiting = new Map<string, number[]>()
        /** For each waiting owner, counts how often each of the other owners was served meanwhile. */
        const passed = new Map<string, Map<string, number>>()
        let next = 0
        for (const { push } of steps) {
          if (push !== null) {
            if (!waiting.has(push)) passed.set(push, new Map())
            waiting.set(push, [...(waiting.get(push) ?? []), next])
            queue.push(push, next++)
            continue
          }
          const taken = queue.take()
          if (waiting.size === 0) {
            expect(taken).toBeUndefined()
            continue
          }
          const { owner, item } = taken!
          const line = waiting.get(owner)!
          expect(item).toBe(line.shift())
          if (line.length === 0) waiting.delete(owner)
          passed.set(owner, new Map())
          for (const [other, counts] of passed) {
            if (other === owner || !waiting.has(other)) continue
            counts.set(owner, (counts.get(owner) ?? 0) + 1)
            expect(counts.get(owner)).toBeLessThanOrEqual(1)
          }
        }
        expect(queue.length).toBe([...waiting.values()].flat().length)
        expect(queue.clear().sort((a, b) => a - b)).toEqual([...waiting.values()].flat().sort((a, b) => a - b))
      }),
    )
  })
  test('an owner that may not be served is skipped and keeps its position', () => {
    const queue = createFairQueue<number>()
    for (const [owner, item] of [
      ['a', 1],
      ['a', 2],
      ['b', 3],
    ] as const)
      queue.push(owner, item)
    expect(queue.take(owner => owner === 'b')).toEqual({ owner: 'b', item: 3 })
    expect(queue.take(owner => owner === 'b')).toBeUndefined()
    expect(queue.take()).toEqual({ owner: 'a', item: 1 })
  })
})

describe('F26 · slices of the event loop', () => {
  /** The test controls the clock and starts each iteration of the event loop. */
  function loop(sliceMs: number) {
    let now = 0
    const turns: (() => void)[] = []
    const done: string[] = []
    const fair = createFairTurns({ sliceMs, clock: () => now, nextTurn: callback => void turns.push(callback) })
    const run = (owner: string, ms: number) =>
      fair.run(owner, () => {
        now += ms
        done.push(owner)
        return owner
      })
    return {
      fair,
      run,
      done,
      turn: () => {
        for (const begin of turns.splice(0)) begin()
      },
      pending: () => turns.length,
    }
  }

  test('one loop iteration runs one slice, and the remaining work waits for later iterations', () => {
    const { run, done, turn, fair } = loop(3)
    for (let i = 0; i < 9; i++) void run('flood', 1)
    expect([done.length, fair.waiting]).toEqual([3, 6])
    turn()
    expect(done).toHaveLength(6)
    turn()
    expect([done.length, fair.waiting]).toEqual([9, 0])
  })
  test('an owner’s single piece of work runs next, even if another owner has much waiting work', () => {
    const { run, done, turn } = loop(3)
    for (let i = 0; i < 100; i++) void run('flood', 3)
    void run('neighbor', 3)
    turn()
    turn()
    expect(done.slice(0, 3)).toContain('neighbor')
  })
  test('work runs immediately while the slice has time left, and an idle loop has no timers', () => {
    const { run, done, turn, pending } = loop(3)
    void run('a', 1)
    expect(done).toEqual(['a'])
    turn()
    expect(pending()).toBe(0)
    void run('b', 9)
    expect(done).toEqual(['a', 'b'])
    turn()
    turn()
    void run('c', 1)
    expect(done).toEqual(['a', 'b', 'c'])
  })
  test('an error of one piece of work rejects only that piece', async () => {
    const { fair, run, turn } = loop(1)
    const failing = [fair.run('a', () => JSON.parse('{')), run('a', 5), fair.run('a', () => JSON.parse('{')), run('b', 1)]
    const outcomes = Promise.allSettled(failing)
    for (let i = 0; i < 5; i++) turn()
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  })
})

describe('F26 · a fair entry', () => {
  const presenceMs = 100

  test('a single owner begins all its work immediately; while others are active an owner stays within its limit or runs one larger piece; its order is kept and nothing is lost', async () => {
    const owners = ['a', 'b', 'c']
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ enter: fc.constantFrom(...owners), size: fc.constantFrom(1, 1, 2, 5) }) },
      { weight: 3, arbitrary: fc.nat().map(leave => ({ leave })) },
      { weight: 1, arbitrary: fc.constantFrom(10, presenceMs).map(wait => ({ wait })) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 4 }), async (steps, mostOfOne) => {
        let now = 0
        const entry = createFairEntry({ mostOfOne, presenceMs, clock: () => now })
        const inside: { readonly owner: string; readonly size: number; readonly leave: () => void }[] = []
        const begun = new Map(owners.map(owner => [owner, [] as number[]]))
        const entered = new Map(owners.map(owner => [owner, 0]))
        const cameAt = new Map<string, number>()
        const settle = () => new Promise(resolve => setImmediate(resolve))
        const insideOf = (owner: string) => inside.filter(one => one.owner === owner).length
        const sizeOf = (owner: string) => inside.reduce((sum, one) => sum + (one.owner === owner ? one.size : 0), 0)
        for (const one of steps) {
          const before = new Map(owners.map(owner => [owner, insideOf(owner)]))
          if ('wait' in one) now += one.wait
          else if ('enter' in one) {
            const owner = one.enter
            const number = entered.get(owner)!
            entered.set(owner, number + 1)
            cameAt.set(owner, now)
            const { size } = one
            void entry.enter(owner, size).then(leave => {
              begun.get(owner)!.push(number)
              inside.push({ owner, size, leave })
            })
          } else if (inside.length > 0) inside.splice(one.leave % inside.length, 1)[0]!.leave()
          await settle()
          for (const owner of owners) {
            const isAlone = owners.every(other => other === owner || now - (cameAt.get(other) ?? Number.NEGATIVE_INFINITY) >= presenceMs)
            if (!isAlone && insideOf(owner) > Math.max(1, before.get(owner)!)) expect(sizeOf(owner)).toBeLessThanOrEqual(mostOfOne)
            if (isAlone && 'enter' in one && one.enter === owner && entry.waiting === 0)
              expect(insideOf(owner)).toBeGreaterThan(before.get(owner)!)
          }
        }
        while (inside.length > 0) {
          inside.shift()!.leave()
          await settle()
        }
        expect(entry.waiting).toBe(0)
        for (const owner of owners) expect(begun.get(owner)).toEqual(Array.from({ length: entered.get(owner)! }, (_, index) => index))
      }),
    )
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairPlaces } from '../src/places.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))
const owners = ['a', 'b', 'c', 'd']

test('F26 · slots are limited in total and per owner, owners alternate in their own order, and no work is lost', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...owners).map(owner => ({ owner })) },
    { weight: 2, arbitrary: fc.record({ end: fc.nat(), fails: fc.boolean() }) },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 120 }),
      fc.record({
        places: fc.integer({ min: 1, max: 4 }),
        mostOfOne: fc.integer({ min: 1, max: 4 }),
        mostWaiting: fc.integer({ min: 1, max: 5 }),
      }),
      async (steps, options) => {
        const fair = createFairPlaces(options)
        const working: { readonly owner: string; readonly number: number; readonly end: (fails: boolean) => void }[] = []
        const begun: Record<string, number[]> = {}
        const asked: Record<string, number> = {}
        const refused: string[] = []
        const outcomes: Promise<unknown>[] = []
        const workingOf = (owner: string) => working.filter(one => one.owner === owner).length
        for (const one of steps) {
          if ('owner' in one) {
            const { owner } = one
            const number = (asked[owner] = (asked[owner] ?? 0) + 1)
            const work = () => {
              ;(begun[owner] ??= []).push(number)
              const { promise, resolve, reject } = Promise.withResolvers<void>()
              working.push({ owner, number, end: fails => (fails ? reject(new Error('own')) : resolve()) })
              return promise
            }
            const run = fair.run(owner, work).catch((error: { code?: string; message: string }) => {
              if (error.code === 'overloaded') {
                refused.push(owner)
                asked[owner]!--
              } else expect(error.message).toBe('own')
            })
            outcomes.push(run)
          } else if (working.length > 0) working.splice(one.end % working.length, 1)[0]!.end(one.fails)
          await settle()
          expect(working.length).toBeLessThanOrEqual(options.places)
          for (const owner of owners) {
            expect(workingOf(owner)).toBeLessThanOrEqual(options.mostOfOne)
            const waiting = (asked[owner] ?? 0) - (begun[owner]?.length ?? 0)
            expect(waiting).toBeLessThanOrEqual(options.mostWaiting)
            // Work waits only if all slots are in use, or if its owner already has the maximum number of slots.
            if (waiting > 0) expect(working.length === options.places || workingOf(owner) === options.mostOfOne).toBe(true)
          }
        }
        while (working.length > 0) {
          working.shift()!.end(false)
          await settle()
        }
        await Promise.all(outcomes)
        expect(fair.waiting).toBe(0)
        for (const owner of owners) expect(begun[owner]?.length ?? 0).toBe(asked[owner] ?? 0)
        for (const numbers of Object.values(begun)) expect(numbers).toEqual(numbers.toSorted((x, y) => x - y))
      },
    ),
  )
})

test('an owner’s single piece of work runs next, even if another owner has much waiting work', async () => {
  const fair = createFairPlaces({ places: 2, mostOfOne: 2, mostWaiting: 100 })
  const ends: (() => void)[] = []
  const begun: string[] = []
  const work = (owner: string) => () => {
    begun.push(owner)
    return new Promise<void>(resolve => ends.push(resolve))
  }
  for (let i = 0; i < 50; i++) void fair.run('flood', work('flood'))
  void fair.run('neighbor', work('neighbor'))
  await settle()
  ends.shift()!()
  await settle()
  // The project `flood` began this work before `neighbor` could begin. The work ends now.
  ends.shift()!()
  await settle()
  expect(begun.slice(0, 4)).toContain('neighbor')
})

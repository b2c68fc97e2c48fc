import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldsOfState } from '../src/codec.ts'
import { createObservationRows } from '../src/rows/observation.ts'
import { traceRows, virtualRootRows } from '../src/rows/trace.ts'
import { type EntityState, joinStates, nothingSaid } from '../src/state.ts'
import { anyEvents, entityOf, reloaded, type Sent, stateOf } from './events.ts'

const observationRows = createObservationRows(new CatalogLookup())
const entityTypes = ['trace', 'observation'] as const

const rowsOf = (entityType: (typeof entityTypes)[number], state: EntityState) => {
  const entity = entityOf(entityType, state)
  return entityType === 'trace'
    ? [...traceRows(entity), ...virtualRootRows(entity)]
    : [...observationRows.old(entity), ...observationRows.events(entity)]
}

const inOrder = (sent: readonly Sent[]): EntityState => sent.map(stateOf).reduce(joinStates, nothingSaid)

/** Shuffles, repeats and groups the events. Converts some of the groups to records and back. */
const disturbed = (sent: readonly Sent[]) =>
  fc
    .record({
      order: fc.shuffledSubarray([...sent.keys()], { minLength: sent.length }),
      again: fc.array(fc.nat({ max: sent.length - 1 }), { maxLength: 4 }),
      group: fc.integer({ min: 1, max: 4 }),
      restarts: fc.infiniteStream(fc.boolean()),
    })
    .map(({ order, again, group, restarts }) => {
      const states = [...order, ...again].map(at => stateOf(sent[at]!))
      const groups: EntityState[] = []
      for (let from = 0; from < states.length; from += group) {
        groups.push(states.slice(from, from + group).reduce(joinStates, nothingSaid))
      }
      return groups.reduce((known, next) => {
        const joined = joinStates(known, next)
        return restarts.next().value ? reloaded(joined) : joined
      }, nothingSaid)
    })

describe.each(entityTypes)('%s', entityType => {
  const histories = anyEvents(entityType).chain(sent => disturbed(sent).map(state => ({ sent, state })))

  test('any order, grouping and repetition of the events gives the same state and rows', () => {
    fc.assert(
      fc.property(histories, ({ sent, state }) => {
        const expected = inOrder(sent)
        expect(fieldsOfState(state)).toEqual(fieldsOfState(expected))
        expect(rowsOf(entityType, state)).toEqual(rowsOf(entityType, expected))
      }),
      { numRuns: 300 },
    )
  })

  test('joining is associative, and returns the known state itself when nothing is new', () => {
    const events = anyEvents(entityType).map(inOrder)
    fc.assert(
      fc.property(events, events, events, (a, b, c) => {
        const left = joinStates(joinStates(a, b), c)
        expect(fieldsOfState(joinStates(a, joinStates(b, c)))).toEqual(fieldsOfState(left))
        for (const known of [a, b, c, left]) expect(joinStates(left, known)).toBe(left)
      }),
      { numRuns: 150 },
    )
  })

  test('a state stays the same when it is converted to a record and back', () => {
    fc.assert(
      fc.property(anyEvents(entityType).map(inOrder), state => {
        expect(fieldsOfState(reloaded(state))).toEqual(fieldsOfState(state))
        expect(joinStates(state, reloaded(state))).toBe(state)
      }),
    )
  })

  test('after a thousand updates, the state is no larger than after one', () => {
    const updates = Array.from(
      { length: 1000 },
      (_, at): Sent => ({
        type: `${entityType === 'trace' ? 'trace' : 'span'}-create`,
        body: { name: 'n', metadata: { a: at }, tags: ['t'] },
        at,
      }),
    )
    const { sources, fields, leaves } = fieldsOfState(inOrder(updates))
    expect([sources.length, leaves.length]).toEqual([1, 1])
    expect(fields.length).toBeLessThan(8)
  })
})

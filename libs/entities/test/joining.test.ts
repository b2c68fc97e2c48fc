import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldsOfState } from '../src/codec.ts'
import { joinAll } from '../src/joining.ts'
import { piecesOf } from '../src/pieces.ts'
import { type EntityState, joinStates, nothingSaid } from '../src/state.ts'
import { anyEvents, reloaded, stateOf } from './events.ts'

const inOrder = (states: readonly EntityState[]): EntityState => states.reduce(joinStates, nothingSaid)

describe.each(['trace', 'observation'] as const)('%s', entityType => {
  const states = anyEvents(entityType).map(sent => sent.map(stateOf))

  test('`joining` returns the same state as joining the states one by one', () => {
    fc.assert(
      fc.property(states, some => {
        expect(fieldsOfState(joinAll(some))).toEqual(fieldsOfState(inOrder(some)))
      }),
    )
  })

  test('pieces join to the original state in any order, even after conversion to records and back', () => {
    const sizes = fc.record({ pieceBytes: fc.integer({ min: 1, max: 2000 }), maxBytes: fc.constant(1_000_000) })
    fc.assert(
      fc.property(states.map(inOrder), sizes, (state, size) => {
        const { pieces, cut } = piecesOf(state, size)
        expect(cut).toBe(0)
        expect(fieldsOfState(inOrder(pieces.map(reloaded).toReversed()))).toEqual(fieldsOfState(state))
      }),
    )
  })
})

test('drops only values that are too large for any record', () => {
  const by = { atUs: 1, update: false, id: 'e', hash: '' }
  const state: EntityState = {
    ...nothingSaid,
    firstMs: 1,
    fields: new Map([
      ['name', { value: 'n', by }],
      ['input', { value: 'x'.repeat(5000), by }],
    ]),
  }
  const { pieces, cut } = piecesOf(state, { pieceBytes: 500, maxBytes: 4000 })
  expect(cut).toBe(1)
  expect([...inOrder(pieces).fields.keys()]).toEqual(['name'])
  expect(inOrder(pieces).firstMs).toBe(1)
})

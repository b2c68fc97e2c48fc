// Tests which rows the API sends of a very large trace. If a row is not sent, the API adds it to the sums of its nearest sent ancestor.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { topOf } from './top.ts'

const rowsOf = (parents: readonly number[]) => ({
  parents,
  costs: parents.map(() => 1),
  tokens: parents.map((_, row) => row),
  isError: parents.map((_, row) => row % 2 === 1),
})

test('whole families are sent from the top, and the rest is summed up at the nearest sent row', () => {
  // Row 0 has the children 1 and 2. Row 1 has the children 3 to 5. Row 2 has the child 6, and row 6 has the child 7.
  const rows = rowsOf([-1, 0, 0, 1, 1, 1, 2, 6])
  expect(topOf(rows, [], 8)).toEqual({
    rows: [0, 1, 2, 3, 4, 5, 6, 7],
    hidden: { rows: [], observations: [], costs: [], tokens: [], errors: [] },
  })
  expect(topOf(rows, [], 5)).toEqual({
    rows: [0, 1, 2, 6, 7],
    hidden: { rows: [1], observations: [3], costs: [3], tokens: [12], errors: [2] },
  })
})

test('an opened row comes with all rows above it and its children', () => {
  const rows = rowsOf([-1, 0, 0, 1, 1, 1, 2, 6])
  expect(topOf(rows, [6], 4).rows).toEqual([0, 2, 6, 7])
  expect(topOf(rows, [1], 5).rows).toEqual([0, 1, 3, 4, 5])
})

test('a family that is larger than the limit is sent in part, in the order of rows', () => {
  const { rows, hidden } = topOf(rowsOf([-1, ...Array.from({ length: 9 }, () => 0)]), [], 4)
  expect(rows).toEqual([0, 1, 2, 3])
  expect(hidden).toMatchObject({ rows: [0], observations: [6] })
})

test('each row is sent or counted once, whatever the parents are, also in cycles', () => {
  const trees = fc
    .array(fc.integer({ min: -3, max: 30 }), { minLength: 1, maxLength: 31 })
    .map(list => list.map(each => Math.min(each, list.length - 1)))
  fc.assert(
    fc.property(trees, fc.array(fc.nat(30), { maxLength: 3 }), fc.integer({ min: 1, max: 31 }), (parents, open, most) => {
      const { rows, hidden } = topOf(
        rowsOf(parents),
        open.filter(row => row < parents.length),
        most,
      )
      const counted = hidden.observations.reduce((sum, each) => sum + each, 0)
      const isAbove = (row: number): boolean => {
        const seen = new Set<number>()
        for (let at = row; at >= 0 && !seen.has(at); at = parents[at]!) {
          if (rows.includes(at)) return true
          seen.add(at)
        }
        return false
      }
      expect(rows.length).toBeLessThanOrEqual(most)
      expect(counted).toBe(parents.filter((_, row) => !rows.includes(row) && isAbove(row)).length)
    }),
  )
})

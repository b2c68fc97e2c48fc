// Checks which terms of the filter bar apply to the tables of v3.
import { expect, test } from 'vitest'
import { oldFilterOf } from './old-filter.ts'

test('terms that the old tables can answer are applied, and the others are named', () => {
  const filter = oldFilterOf(
    'root:true name:^chat latency:1s..2s -env:dev has:output input:refund metadata.plan:pro tags:(a&b) session:s refund',
  )
  expect(filter?.setAside).toEqual(['root:true', 'has:output', 'input:refund', 'session:s', 'refund'])
  expect(filter?.conditions.map(({ column, operator }) => `${column} ${operator}`)).toEqual([
    'name starts with',
    'latency >=',
    'latency <=',
    'environment none of',
    'metadata =',
    'traceTags all of',
  ])
})

test('an incomplete filter is no filter, and an empty one has no conditions', () => {
  expect(oldFilterOf('name:(')).toBeUndefined()
  expect(oldFilterOf('')).toEqual({ conditions: [], setAside: [] })
})

import { expect, test } from 'vitest'
import { createScore, ingestedScore } from './score.ts'

test.each([
  ['a', true],
  ['日'.repeat(1_000), true],
  ['', false],
  ['日'.repeat(1_001), false],
])('a name has 1 to 1,000 characters: it is part of a key, which whoever looks for the row sends whole', (name, isTaken) => {
  const score = { name, value: 1, traceId: 't' }
  expect([createScore, ingestedScore].map(schema => schema.safeParse(score).success)).toEqual([isTaken, isTaken])
})

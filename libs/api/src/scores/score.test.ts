import { expect, test } from 'vitest'
import { createScore, ingestedScore } from './score.ts'

test.each([
  ['a', true],
  ['日'.repeat(1_000), true],
  ['', false],
  ['日'.repeat(1_001), false],
])('a score name has 1 to 1,000 characters, because row keys contain it and lookups send whole keys', (name, isTaken) => {
  const score = { name, value: 1, traceId: 't' }
  expect([createScore, ingestedScore].map(schema => schema.safeParse(score).success)).toEqual([isTaken, isTaken])
})

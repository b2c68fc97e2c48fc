import { expect, test } from 'vitest'
import { denialsOf } from '../src/denials.ts'
import { withRetentions } from '../src/remembered.ts'

const nowMs = Date.parse('2026-03-10T12:00:00Z')
const ago = (days: number) => (nowMs - days * 86_400_000) * 1000

test('a row may be missing when it is beyond its project’s retention, to the millisecond; without a time or retention, only when it was deleted', () => {
  let days = new Map([['p', 3]])
  const takenBefore = new Map<string, number>()
  const denials = withRetentions(
    denialsOf([{ projectId: 'p', traceId: 'deleted' }]),
    () => ({ retentions: days, takenBefore }),
    () => nowMs,
  )
  expect(denials.denies('p', 't', ago(3) - 1000)).toBe(true)
  expect(denials.denies('p', 't', ago(3))).toBe(false)
  expect(denials.denies('p', null, ago(4))).toBe(true)
  expect(denials.denies('p', 't')).toBe(false)
  expect(denials.denies('p', 'deleted')).toBe(true)
  expect(denials.denies('q', 't', ago(4))).toBe(false)
  expect([denials.concerns('p'), denials.concerns('q')]).toEqual([true, false])
  days = new Map([['q', 3]])
  expect([denials.denies('q', 't', ago(4)), denials.denies('p', 't', ago(4))]).toEqual([true, false])
  expect([denials.concerns('p'), denials.concerns('q')]).toEqual([true, true])
  // The project's retention of three days was removed three days ago. Just before this removal, the clean-up deleted rows that were older
  // than three days. These rows are now older than six days, and must stay denied.
  days = new Map()
  takenBefore.set('p', nowMs - 6 * 86_400_000)
  expect([denials.concerns('p'), denials.concerns('q')]).toEqual([true, false])
  expect([ago(6) - 1000, ago(6), ago(4)].map(happened => denials.denies('p', 't', happened))).toEqual([true, false, false])
})

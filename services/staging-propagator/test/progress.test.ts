import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatProgress, noProgress, parseProgress } from '../src/partition/progress.ts'

const count = fc.nat(Number.MAX_SAFE_INTEGER)
const progress = fc.record({
  window: fc.option(fc.tuple(count, count, count).map(([a, b, endMs]) => ({ first: Math.min(a, b), last: Math.max(a, b), endMs }))),
  published: fc.option(count),
  repairs: count,
})

test('progress is the same after writing and parsing, and fits into the metadata of any log', () =>
  fc.assert(
    fc.property(progress, count, (one, offset) => {
      const metadata = formatProgress(one)
      expect(metadata.length).toBeLessThan(200)
      expect(parseProgress({ offset, metadata })).toEqual(one)
    }),
  ))

test('two consecutive commits of a partition differ', () => {
  const one = { window: { first: 1, last: 2, endMs: 3 }, published: 3, repairs: 0 }
  const all = [one, { ...one, repairs: 1 }, { ...one, published: null }, { ...one, window: { first: 3, last: 4, endMs: 5 } }].map(
    formatProgress,
  )
  expect(new Set(all).size).toBe(all.length)
})

test('metadata that the propagator did not write are treated as no progress', () => {
  expect(parseProgress(undefined)).toEqual(noProgress)
  for (const metadata of [
    '',
    'null',
    '1',
    '"text"',
    '[]',
    '{',
    '{}',
    '{"window":[5,4,1]}',
    '{"window":[1,2]}',
    '{"window":"x","repairs":-1,"published":0.5}',
  ]) {
    expect(parseProgress({ offset: 7, metadata }), metadata).toEqual(noProgress)
  }
})

test('parsing never throws, whatever the metadata', () =>
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), metadata => {
      const { window, published, repairs } = parseProgress({ offset: 0, metadata })
      expect(window === null || window.first <= window.last).toBe(true)
      expect(published === null || published >= 0).toBe(true)
      expect(repairs).toBeGreaterThanOrEqual(0)
    }),
  ))

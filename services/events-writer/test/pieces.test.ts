import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cut, cutsOf, noteOf, type Piece, wholeOf } from '../src/insert/pieces.ts'
import { refillBatches } from '../src/insert/refill-batches.ts'
import { tokenOf } from '../src/insert/token.ts'

function cutAll(rows: number, isBad: (row: number) => boolean) {
  const cuts = new Set<string>()
  const left: Piece[] = []
  const visit = (piece: Piece): void => {
    if (piece.rows.length <= 1 || !piece.rows.some(isBad)) {
      left.push(piece)
      return
    }
    cuts.add(piece.path)
    for (const part of cut(piece)) visit(part)
  }
  visit(wholeOf(rows))
  return { cuts, left }
}

describe('a chunk that is refused', () => {
  test('is cut until every bad row is alone, into pieces that contain each of its rows once', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.func(fc.boolean()), (rows, isBad) => {
        const { left } = cutAll(rows, isBad)
        expect(left.flatMap(piece => piece.rows).sort((a, b) => a - b)).toEqual(wholeOf(rows).rows)
        for (const { rows: held } of left) expect(held.length === 1 || !held.some(isBad)).toBe(true)
      }),
    ))

  test('has as its first piece a sample that is spread over the chunk', () => {
    const [sample, rest] = cut(wholeOf(1_600))
    expect(sample.rows).toEqual(Array.from({ length: 16 }, (_, at) => at * 100))
    expect(rest.rows).toHaveLength(1_584)
  })

  test('has a short note in the intent that names its cuts under the same rules', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.func(fc.boolean()), (rows, isBad) => {
        const { cuts } = cutAll(rows, isBad)
        const note = noteOf('rules', cuts)
        expect(note.length).toBeLessThanOrEqual(1_500)
        const known = cutsOf('rules', note)
        expect([...known].every(path => cuts.has(path))).toBe(true)
        if (note.length < 1_480) expect(known).toEqual(cuts)
        expect(cutsOf('others', note)).toEqual(new Set())
        expect(cutsOf('rules', '')).toEqual(new Set())
      }),
    ))
})

test('batches contain each key once and do not depend on the order of keys, and every key fits into a batch', () => {
  const rows = Array.from({ length: 125_000 }, (_, n) => ({
    key: [`project '${n % 600}'`, 1_763_726_400_000_000 - n, (n * 7).toString(16).padStart(32, '0'), n.toString(16).padStart(16, '0')],
    versionUs: 1_763_726_400_000_000,
    offset: n,
    index: 0,
  }))
  const batches = refillBatches(rows)
  expect(batches.every(batch => batch.rows.length > 0 && batch.rows.length < 2_000)).toBe(true)
  expect(new Set(batches.map(({ hash }) => hash)).size).toBe(batches.length)
  expect(new Set(batches.flatMap(batch => batch.rows)).size).toBe(rows.length)
  expect(refillBatches(rows.toReversed())).toEqual(batches)
})

test('two inserts that differ in anything have different tokens', () => {
  const parts = fc.record({
    logId: fc.uuid(),
    group: fc.constant('svc.writer'),
    topic: fc.constantFrom('spans.direct', 'spans.filled'),
    partition: fc.nat(9),
    first: fc.nat(99),
    last: fc.nat(99),
    table: fc.constantFrom('events_full', 'events_core'),
    hash: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
    attempt: fc.nat(5).map(String),
  })
  fc.assert(
    fc.property(parts, parts, (one, two) => {
      expect(tokenOf(one) === tokenOf(two)).toBe(JSON.stringify(one) === JSON.stringify(two))
    }),
  )
})

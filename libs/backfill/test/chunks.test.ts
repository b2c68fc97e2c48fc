// Each test walks over an in-memory table. The walk halves a chunk that fails. Together, the chunks must contain every row exactly once,
// and the newest month must come first.
import { createRandom } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { type Chunk, finished, halved, type KeyReader, nextChunk, rowsOf, startWalk, type Walk } from '../src/chunks.ts'
import type { Key } from '../src/key-range.ts'

interface Row {
  readonly month: number
  readonly key: Key
}

const compare = (a: Key, b: Key): number => {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1
}

const within = ({ month, after, upTo }: Chunk, row: Row) =>
  row.month === month && (after === null || compare(row.key, after) > 0) && (upTo === null || compare(row.key, upTo) <= 0)

function readerOf(rows: readonly Row[], bytes = 1): KeyReader {
  const of = (chunk: Chunk) => rows.filter(row => within(chunk, row)).sort((a, b) => compare(a.key, b.key))
  return {
    keyAt: async (chunk, offset) => of(chunk)[offset]?.key ?? null,
    bytesPerRow: async chunk => (of(chunk).length === 0 ? 0 : bytes),
    rows: async chunk => of(chunk).length,
  }
}

describe.each(Array.from({ length: 40 }, (_, seed) => seed))('seed %i', seed => {
  const random = createRandom(seed)
  const rows: Row[] = Array.from({ length: random.integer(0, 120) }, () => ({
    month: random.pick([202601, 202512, 202511, 202602]),
    // Several rows have the same key. Of the three projects, project `a` has most of the rows.
    key: [random.pick(['a', 'a', 'a', 'b', 'c']), String(random.integer(0, 25))],
  }))
  const limits = { maxRows: random.integer(1, 30), maxBytes: 1_000 }
  const reader = readerOf(rows)

  test('chunks cover each row once, within their limits, newest month first', async () => {
    let walk: Walk = startWalk(rows.map(({ month }) => month))
    const done: Chunk[] = []
    for (;;) {
      const next = await nextChunk(walk, reader, limits)
      if (next === null) break
      walk = next.walk
      // The test restarts the walk from the state before the chunk. The restarted walk must return the same chunk.
      expect((await nextChunk(walk, reader, limits))!.chunk).toEqual(next.chunk)
      const fails = random.next() < 0.3
      const smaller = fails ? await halved(walk, reader) : null
      if (smaller !== null) {
        walk = smaller
        continue
      }
      done.push(next.chunk)
      walk = finished(walk)
    }
    for (const row of rows) expect(done.filter(chunk => within(chunk, row))).toHaveLength(1)
    expect(done.map(({ month }) => month)).toEqual(done.map(({ month }) => month).sort((a, b) => b - a))
    for (const chunk of done) {
      const inside = rows.filter(row => within(chunk, row))
      // All rows with the same key are in the same chunk. A chunk can therefore have more than `maxRows` rows, but at most `maxRows` keys.
      expect(new Set(inside.map(({ key }) => key.join('/'))).size).toBeLessThanOrEqual(limits.maxRows)
    }
  })
})

test('a chunk has as many rows as its bytes allow, and at least one', () => {
  expect(rowsOf({ maxRows: 100, maxBytes: 1_000 }, 1)).toBe(100)
  expect(rowsOf({ maxRows: 100, maxBytes: 1_000 }, 50)).toBe(20)
  expect(rowsOf({ maxRows: 100, maxBytes: 1_000 }, 5_000)).toBe(1)
})

test('a single row is not halved', async () => {
  const rows = [{ month: 202601, key: ['a', '1'] }]
  const next = await nextChunk(startWalk([202601]), readerOf(rows), { maxRows: 9, maxBytes: 9 })
  expect(await halved(next!.walk, readerOf(rows))).toBeNull()
})

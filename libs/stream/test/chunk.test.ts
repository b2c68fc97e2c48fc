import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Chunk, chunkOf, cutChunks, finishedPrefix, type Weight } from '../src/chunk.ts'
import { envelopeOf, withPayload } from '../src/envelope.ts'
import { drop, emit, reject } from '../src/stage.ts'
import { recordsAt } from './scripted-log.ts'

const limits = { maxRows: 100, maxBytes: 1_000, maxWork: 500 }
const range = { topic: 'items', partition: 0, first: 0, last: 9 }

const records = fc.array(
  fc.record({
    gap: fc.integer({ min: 0, max: 3 }),
    kind: fc.constantFrom('emit', 'drop', 'reject'),
    rows: fc.integer({ min: 0, max: 130 }),
    bytes: fc.integer({ min: 0, max: 1_300 }),
    work: fc.integer({ min: 0, max: 650 }),
  }),
  { minLength: 1, maxLength: 40 },
)

function settle(drawn: readonly ({ gap: number; kind: string } & Weight)[]) {
  let offset = -1
  const offsets = drawn.map(({ gap }) => (offset += gap + 1))
  const envelopes = recordsAt(offsets).map(envelopeOf)
  return envelopes.map((envelope, index) => {
    const { kind, rows, bytes, work } = drawn[index]!
    if (kind === 'drop') return { envelope, result: drop('empty') }
    if (kind === 'reject') return { envelope, result: reject('test', 'record_undecodable', 'no good') }
    return { envelope, result: emit(withPayload(envelope, { rows, bytes, work })) }
  })
}
const weigh = (payload: Weight) => payload
const weightOf = (chunk: Chunk<Weight>) =>
  chunk.items.reduce(
    (sum, { payload: { rows, bytes, work } }) => ({ rows: sum.rows + rows, bytes: sum.bytes + bytes, work: sum.work + work }),
    { rows: 0, bytes: 0, work: 0 },
  )

test('chunks cover the range without gap or overlap and contain every record once', () =>
  fc.assert(
    fc.property(records, fc.integer({ min: 0, max: 5 }), (drawn, tail) => {
      const settled = finishedPrefix(settle(drawn))
      const last = settled.at(-1)!.envelope.position.offset + tail
      const chunks = cutChunks({ ...range, last }, settled, limits, weigh)
      expect(chunks[0]!.first).toBe(0)
      expect(chunks.at(-1)!.last).toBe(last)
      for (const [index, chunk] of chunks.entries()) {
        if (index > 0) expect(chunk.first).toBe(chunks[index - 1]!.last + 1)
        for (const { position } of chunk.items) expect(position.offset >= chunk.first && position.offset <= chunk.last).toBe(true)
      }
      expect(chunks.flatMap(chunk => chunk.items).map(item => item.position.offset)).toEqual(
        settled.flatMap(({ result, envelope }) => (result.kind === 'emit' ? [envelope.position.offset] : [])),
      )
      expect(chunks.flatMap(chunk => chunk.rejected)).toHaveLength(drawn.filter(({ kind }) => kind === 'reject').length)
      expect(chunks.flatMap(chunk => chunk.dropped)).toHaveLength(drawn.filter(({ kind }) => kind === 'drop').length)
    }),
  ))

test('only a chunk of a single record may exceed a limit', () =>
  fc.assert(
    fc.property(records, drawn => {
      const settled = finishedPrefix(settle(drawn))
      for (const chunk of cutChunks({ ...range, last: 10_000 }, settled, limits, weigh)) {
        const { rows, bytes, work } = weightOf(chunk)
        const heavy = chunk.items.filter(({ payload }) => payload.rows > 0 || payload.bytes > 0 || payload.work > 0)
        if (heavy.length > 1) expect(rows <= limits.maxRows && bytes <= limits.maxBytes && work <= limits.maxWork).toBe(true)
      }
    }),
  ))

test('chunks of one fetch have about the same weight, without a small remainder at the end', () => {
  const settled = finishedPrefix(settle(Array.from({ length: 21 }, () => ({ gap: 0, kind: 'emit', rows: 10, bytes: 0, work: 0 }))))
  const chunks = cutChunks({ ...range, last: 20 }, settled, limits, weigh)
  expect(chunks.map(chunk => weightOf(chunk).rows)).toEqual([70, 70, 70])
})

test('the estimated work also limits a chunk, for records with few rows and bytes but expensive mapping', () => {
  const settled = finishedPrefix(settle(Array.from({ length: 20 }, () => ({ gap: 0, kind: 'emit', rows: 1, bytes: 1, work: 150 }))))
  const chunks = cutChunks({ ...range, last: 19 }, settled, limits, weigh)
  expect(chunks.map(chunk => chunk.items.length)).toEqual([3, 3, 3, 3, 3, 3, 2])
})

test('a rejected record keeps its bytes, its offset and its reason', () => {
  const [settled] = settle([{ gap: 4, kind: 'reject', rows: 0, bytes: 0, work: 0 }])
  expect(chunkOf(range, finishedPrefix([settled!])).rejected).toEqual([
    {
      offset: 4,
      index: null,
      stage: 'test',
      reason: 'record_undecodable',
      message: 'no good',
      owner: null,
      raw: Buffer.from('4'),
      timestampMs: 1004,
    },
  ])
})

// Spans of one trace can contradict each other. Even then, the result must not depend on the order in which the spans arrive.
import { readNativeBlock } from '@svc-server/column-store/native'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { encodeTraceRequest, type Span } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../../src/block/chunk-encoder.ts'
import { fillHash, fillOf } from '../../src/trace/index.ts'
import { batchOf, recordOf } from '../mapped-rows.ts'
import { childSpan, joined, readingOf, requestOfSpans, rootSpan } from './candidates.ts'

const encoder = createChunkEncoder()
const rowsOf = (spans: readonly Span[], traceAttributes: TraceAttributes | null, fields: Partial<SpanBatch> = {}) =>
  readNativeBlock(encoder.encode([recordOf(batchOf(encodeTraceRequest(requestOfSpans(...spans)), { ...fields, traceAttributes }))]).body)

interface Said {
  readonly root: boolean
  readonly explicit: boolean
  readonly startMs: number
  readonly id: number
  readonly user: string
  readonly tags: readonly string[]
}

const said: fc.Arbitrary<Said> = fc.record({
  root: fc.boolean(),
  explicit: fc.boolean(),
  startMs: fc.nat({ max: 3 }),
  id: fc.nat({ max: 5 }),
  user: fc.constantFrom('ann', 'bob', 'béa', '\u{1f600}', '\uffff'),
  tags: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 2 }),
})

const spanOf = ({ root, explicit, startMs, id, user, tags }: Said): Span =>
  (root ? rootSpan : childSpan)(
    { [explicit ? 'svc.trace.metadata.svc_user_id' : 'user.id']: user, 'svc.trace.tags': tags, 'svc.trace.name': 'n' },
    { spanId: `00000000000000a${id}`, startTimeUnixNano: 1795262400000000000n + BigInt(startMs) * 1_000_000n },
  )

/** Sorts all candidates by every criterion. The function does not use the tested code. */
const firstOf = (all: readonly Said[]): string =>
  all
    .map(({ root, explicit, startMs, id, user }) => ({
      key: [root ? 0 : 1, explicit ? 0 : 1, startMs, id, Buffer.from(user).toString('hex')].join(' '),
      user,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))[0]!.user

test('F25 · of two user ids in a trace, the same id wins for any order of arrival, any split into records and windows, and any repetition', () => {
  const isOrderless = (all: readonly Said[], numbers: Iterator<number>) => {
    const number = () => numbers.next().value as number
    const whole = readingOf(requestOfSpans(...all.map(spanOf))).candidates
    expect(whole.winners.find(({ field }) => field === 'userId')!.value).toBe(firstOf(all))
    expect(whole.tags).toEqual([...new Set(all.flatMap(({ tags }) => tags))].sort())

    const again = [...all, ...all.filter(() => number() % 3 === 0)]
    const shuffled = again.map(each => [number(), each] as const).sort(([a], [b]) => a - b)
    const records = Map.groupBy(shuffled, ([place]) => place % 4)
    const readings = [...records.values()].map(record => readingOf(requestOfSpans(...record.map(([, each]) => spanOf(each)))).candidates)
    const windows = [readings.slice(0, 2), readings.slice(2)].map(joined)
    expect(joined(windows)).toEqual(whole)
    expect(fillHash(fillOf(joined(windows.toReversed())))).toBe(fillHash(fillOf(whole)))
  }
  fc.assert(fc.property(fc.array(said, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), isOrderless), { numRuns: 300 })
})

test('F25 · each span keeps its own user, and spans without a user receive the user of the trace', () => {
  const spans = [
    childSpan({ 'user.id': 'bob' }, { spanId: '00000000000000a1' }),
    childSpan({}, { spanId: '00000000000000a2' }),
    rootSpan({ 'user.id': 'ann' }, { spanId: '00000000000000a3' }),
  ]
  const rows = rowsOf(spans, fillOf(readingOf(requestOfSpans(...spans)).candidates))
  expect(rows.map(row => row['user_id'])).toEqual(['bob', 'ann', 'ann'])
  expect(rows.map(row => row['trace_name'])).toEqual(['a span', 'a span', 'a span'])
})

test('F33 · reads both encodings of an old and a new SDK in one trace alike, in any order, and direct spans keep their own values', () => {
  const old = { sdkName: 'python', sdkVersion: '3.15.0' }
  const newest = { sdkName: 'python', sdkVersion: '5.0.4' }
  const ofOld = [
    childSpan({}, { spanId: '00000000000000a1' }),
    rootSpan(
      { 'svc.trace.metadata.svc_user_id': 'u', 'svc.trace.public': false, 'svc.trace.tags': ['old'] },
      { spanId: '00000000000000a0' },
    ),
  ]
  const ofNew = [
    childSpan({ 'svc.trace.metadata.svc_user_id': '"u"', 'svc.trace.metadata.svc_tags': '["new"]' }, { spanId: '00000000000000b1' }),
    childSpan({ 'svc.release': '2' }, { spanId: '00000000000000b2' }),
  ]
  const readings = [readingOf(requestOfSpans(...ofOld), old), readingOf(requestOfSpans(...ofNew), newest)].map(
    reading => reading.candidates,
  )
  const known = joined(readings)
  expect(joined(readings.toReversed())).toEqual(known)
  const fill = fillOf(known)
  expect(fill).toEqual({ name: 'a span', userId: 'u', release: '2', tags: ['new', 'old'] })

  const column = (rows: ReturnType<typeof rowsOf>, name: string) => rows.map(row => row[name])
  const staged = [...rowsOf(ofOld, fill, old), ...rowsOf(ofNew, fill, newest)]
  expect(column(staged, 'user_id')).toEqual(['u', 'u', 'u', 'u'])
  expect(column(staged, 'release')).toEqual(['2', '2', '2', '2'])
  expect(column(staged, 'tags')).toEqual([['new', 'old'], ['old'], ['new'], ['new', 'old']])
  expect(new Set(column(staged, 'span_id')).size).toBe(4)

  const direct = rowsOf(ofNew, null, newest)
  expect(column(direct, 'user_id')).toEqual(['u', ''])
  expect(column(direct, 'trace_name')).toEqual(['', ''])
})

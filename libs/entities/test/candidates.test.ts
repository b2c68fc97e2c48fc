import { fillOf } from '@svc-server/observations/trace/fill'
import { joinCandidates, noCandidates } from '@svc-server/observations/trace/join'
import { expect, test } from 'vitest'
import { candidatesOfEntity } from '../src/candidates.ts'
import type { PublishedEntity } from '../src/codec.ts'
import { entityOf, merged, type Sent, startMs } from './events.ts'

const trace = (body: Sent['body'], at = 0): Sent => ({ type: 'trace-create', body, at })
const fillAfter = (...entities: readonly PublishedEntity[]) => fillOf(entities.map(candidatesOfEntity).reduce(joinCandidates, noCandidates))

test('a later version of a trace wins in any order of reading, and its null values remove earlier values', () => {
  const first = merged(trace({ name: 'b', userId: 'alice', tags: ['x'], release: 'r' }))
  const before = entityOf('trace', first)
  const after = entityOf(
    'trace',
    merged(trace({ name: 'b', userId: 'alice', tags: ['x'], release: 'r' }), trace({ name: 'a', userId: null, public: true }, 1)),
    before,
  )
  const expected = { name: 'a', release: 'r', tags: ['x'], public: true }
  expect(fillAfter(before, after)).toEqual(expected)
  expect(fillAfter(after, before)).toEqual(expected)
  expect(fillAfter(before)).toEqual({ name: 'b', userId: 'alice', release: 'r', tags: ['x'] })
})

test('a trace’s own values precede those of its spans', () => {
  const span = {
    root: true,
    explicit: true,
    startNs: BigInt(startMs) * 1_000_000n,
    spanId: '00000000000000aa',
    field: 'name',
    value: 'span',
  } as const
  const spans = { winners: [span], tags: ['s'], rootSeen: true }
  expect(fillOf(joinCandidates(spans, candidatesOfEntity(entityOf('trace', merged(trace({ name: 'trace' }))))))).toEqual({
    name: 'trace',
    tags: ['s'],
  })
})

test('among the spans of all records, the earliest span without a parent is the root', () => {
  const withRoot = (startUs: number, spanId: string) => entityOf('trace', { ...merged(trace({ name: 'n' })), root: { startUs, spanId } })
  const [early, late] = [withRoot(startMs * 1000, '00000000000000bb'), withRoot(startMs * 1000 + 1, '00000000000000aa')]
  for (const order of [
    [early, late],
    [late, early],
  ])
    expect(fillAfter(...order)).toEqual({ name: 'n', rootSpanId: '00000000000000bb' })
})

test('an observation contributes no candidates for its trace', () => {
  expect(candidatesOfEntity(entityOf('observation', merged({ type: 'span-create', body: { name: 'n', traceId: 't' } })))).toBe(noCandidates)
})

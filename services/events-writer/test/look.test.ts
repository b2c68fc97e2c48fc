import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge } from '../src/store/look.ts'
import { tokenOf } from '../src/store/token.ts'

const range = {
  topic: 'spans.direct',
  partition: 3,
  first: 10,
  last: 20,
  rowTimesUs: new Map([
    [10, 1_000_000],
    [15, 1_500_000],
  ]),
}
const probe = (spanId: string, offset = 10) => ({
  projectId: 'p',
  traceId: 't',
  spanId,
  startTimeUs: '1763726400000000',
  provenance: `spans.direct/3/${offset}#0`,
})
const row = (spanId: string, provenance: string, eventMs: number) => ({
  table_name: 'events_full' as const,
  project_id: 'p',
  trace_id: 't',
  span_id: spanId,
  start_us: '1763726400000000',
  provenance,
  event_us: String(eventMs * 1_000),
})

describe('what the rows of probed keys prove', () => {
  test('a row of the chunk: the month is there, since a part is atomic', () => {
    expect(judge([probe('a'), probe('b')], [row('b', 'spans.direct/3/10#0', 1_000)], range)).toBe('present')
  })
  test('a row from another record of the chunk, which replaced a duplicate, counts too', () => {
    expect(judge([probe('a')], [row('a', 'spans.direct/3/15#2', 1_500)], range)).toBe('present')
  })
  test('nothing: absent', () => {
    expect(judge([probe('a')], [], range)).toBe('absent')
  })
  test('an older version, which ours would have replaced: absent', () => {
    expect(judge([probe('a')], [row('a', 'spans.direct/3/9#0', 900)], range)).toBe('absent')
  })
  test('a newer version, which may have replaced ours: no proof', () => {
    expect(judge([probe('a')], [row('a', 'spans.direct/3/21#0', 2_000)], range)).toBe('superseded')
  })
  test('an equally old version of another partition: the last insert wins, so no proof either', () => {
    expect(judge([probe('a')], [row('a', 'spans.direct/4/10#0', 1_000)], range)).toBe('superseded')
  })
  test('one key proven missing outweighs many that prove nothing', () => {
    const probes = ['a', 'b', 'c'].map(id => probe(id))
    expect(judge(probes, [row('a', 'spans.direct/4/1#0', 2_000), row('b', 'spans.direct/4/2#0', 2_000)], range)).toBe('absent')
  })
  test('a topic or partition whose name begins alike is another one', () => {
    expect(judge([probe('a')], [row('a', 'spans.direct/31/10#0', 500)], range)).toBe('absent')
  })
})

test('a token differs whenever anything of the insert does', () => {
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

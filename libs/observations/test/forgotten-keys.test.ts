// If clients send too many different keys, the key table forgets keys after a chunk and reuses the numbers of these keys. Later chunks must
// still get the correct rows.
import { encodeTraceRequest, type KeyValue, type Span } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { createObservationEncoder } from '../src/block/observation-encoder.ts'
import { createTraceReader } from '../src/trace/index.ts'
import { aSpan, batchOf, recordOf } from './mapped-rows.ts'

const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } })
const keys = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => text(`${prefix}${i}`, 'v'))
const recordWith = (...spans: Partial<Span>[]) =>
  recordOf(batchOf(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: spans.map(aSpan) }] }] }), { spanCount: spans.length }))

const message = (prefix: string, count: number): Partial<Span> => ({
  events: [{ name: 'gen_ai.user.message', attributes: [...keys(prefix, count), text('content', 'How far is it?'), ...keys(prefix, 3)] }],
})
const flood = { attributes: keys('key.of.a.hostile.client.', 60_000) }

test.each(Object.entries({ events: createChunkEncoder, observations: createObservationEncoder }))(
  'F50 · a chunk after one with very many keys equals the same chunk encoded alone: %s',
  (_, create) => {
    const first = recordWith(flood, message('made.up.by.the.client.', 2000))
    const second = recordWith(message('made.up.by.the.client.', 40), { attributes: keys('own.', 40) })
    const encoder = create()
    encoder.encode([first])
    const behind = encoder.encode([second])
    expect(behind.rejected).toEqual([])
    expect(behind.hash).toBe(create().encode([second]).hash)
  },
)

test('a trace reader gives the same results after a record with very many keys', () => {
  const first = recordWith(flood, message('made.up.by.the.client.', 2000))
  const second = recordWith(message('made.up.by.the.client.', 40), { attributes: keys('own.', 40) })
  const reader = createTraceReader()
  reader.read(first.value)
  expect(reader.read(second.value)).toEqual(createTraceReader().read(second.value))
})

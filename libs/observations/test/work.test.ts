// F50 (limit of time): The units of work are known before a request is mapped. The gateway and the readers of a record must compute the
// same number of units.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { attributes, encodeTraceRequest, type KeyValue, otlpFixtures } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { createTraceReader } from '../src/trace/index.ts'
import { aSpan, batchOf, protobufOf, receivedAtMs, recordOf } from './mapped-rows.ts'

type Value = NonNullable<KeyValue['value']>

const bodyOf = (...spans: readonly (readonly KeyValue[])[]) =>
  encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: spans.map(values => aSpan({ attributes: [...values] })) }] }] })
const scanOf = (body: Uint8Array, maxWork?: number) =>
  scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36, ...(maxWork === undefined ? {} : { maxWork }) })
const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } })
/** This attribute makes the request large, because the scan counts the work only of large requests. */
const filler = text('filler', 'x'.repeat(300_000))

const keys = fc.constantFrom(
  'key',
  'svc.observation.metadata',
  'svc.trace.tags',
  'gen_ai.prompt.0.content',
  'svc.observation.usage_details',
  '',
)
const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.json().map(stringValue => ({ stringValue })),
    fc.string({ unit: 'binary' }).map(stringValue => ({ stringValue })),
    fc.boolean().map(boolValue => ({ boolValue })),
    fc.array(tie('value')).map(values => ({ arrayValue: { values } })),
    fc.array(fc.record({ key: keys, value: tie('value') })).map(values => ({ kvlistValue: { values } })),
  ),
})).value
const spans = fc.array(fc.array(fc.record({ key: keys, value }), { maxLength: 6 }), { minLength: 1, maxLength: 5 })

test('F50 · gateway, writer and propagator agree on the work of a request to the unit', () => {
  fc.assert(
    fc.property(spans, spans, (first, second) => {
      const body = Buffer.concat([bodyOf([filler], ...first), bodyOf(...second)])
      const { work, spanCount } = scanOf(body)
      const record = recordOf(batchOf(body, { spanCount }))
      expect(scanOf(body, work).rejected).toEqual([])
      expect(createChunkEncoder({ maxWork: work }).encode([record])).toMatchObject({ rows: spanCount, rejected: [] })
      expect(createTraceReader({ maxWork: work }).read(record.value)).toMatchObject({ ok: true, invalid: 0 })

      expect(() => scanOf(body, work - 1)).toThrow(expect.objectContaining({ code: 'body_too_large' }))
      const { rejected } = createChunkEncoder({ maxWork: work - 1 }).encode([record])
      expect(rejected).toMatchObject([{ index: spanCount - 1, reason: 'too_large' }])
      expect(createTraceReader({ maxWork: work - 1 }).read(record.value)).toMatchObject({ ok: true, invalid: 1 })
    }),
    { numRuns: 20 },
  )
})

const many = (count: number, each: (i: number) => KeyValue): KeyValue[] => Array.from({ length: count }, (_, i) => each(i))
const json = (count: number, each: (i: number) => string) => `[${Array.from({ length: count }, (_, i) => each(i)).join()}]`
const yes: Value = { boolValue: true }

/** Attributes of about a megabyte. Each entry has a shape that is slow to map. */
const hostile: Readonly<Record<string, () => KeyValue[]>> = {
  'small attributes': () => many(90_000, i => ({ key: i.toString(36), value: yes })),
  'names of metadata': () => [
    text(
      'svc.observation.metadata',
      json(500_000, () => '1'),
    ),
  ],
  'metadata below an alias of the brand': () => [
    text(
      'other.trace.metadata',
      json(500_000, () => '1'),
    ),
  ],
  'metadata on the wire': () => [{ key: 'svc.metadata', value: { arrayValue: { values: Array(250_000).fill(yes) } } }],
  'a list of values': () => [{ key: 'key', value: { arrayValue: { values: Array(250_000).fill(yes) } } }],
  'parts of messages': () => many(20_000, i => text(`llm.input_messages.${i}.message.content`, 'v')),
  'calls of tools': () => [
    text(
      'gen_ai.output.messages',
      json(40_000, i => `{"function":{"name":"${i}"}}`),
    ),
  ],
  'calls of tools in texts': () => [
    text(
      'gen_ai.output.messages',
      json(30_000, i => JSON.stringify(`{"function":{"name":"${i}"}}`)),
    ),
  ],
  'texts that are not JSON': () => [
    text(
      'events',
      json(150_000, () => '"\\"a"'),
    ),
  ],
  tags: () => [text('svc.trace.tags', 'a,'.repeat(500_000))],
  'control characters in a list': () => [{ key: 'key', value: { arrayValue: { values: [{ stringValue: '\u0001'.repeat(1_000_000) }] } } }],
}

describe('F50 · the receiver and every reader reject a span that takes too much work', () => {
  test.each(Object.keys(hostile))('%s', name => {
    const body = bodyOf(hostile[name]!())
    const maxWork = 100_000
    expect(scanOf(body, maxWork).rejected).toMatchObject([
      { index: 0, reason: 'too_large', message: expect.stringContaining('units of work') },
    ])
    expect(createChunkEncoder({ maxWork }).encode([recordOf(batchOf(body))])).toMatchObject({
      rows: 0,
      rejected: [{ reason: 'too_large' }],
    })
  })

  test('a resource that takes too much work rejects its request at the receiver, and its spans on the log', () => {
    const resource = { attributes: hostile['small attributes']!() }
    const body = encodeTraceRequest({ resourceSpans: [{ resource, scopeSpans: [{ spans: [aSpan(), aSpan()] }] }] })
    expect(() => scanOf(body, 100_000)).toThrow(expect.objectContaining({ code: 'body_too_large' }))
    const { rows, rejected } = createChunkEncoder({ maxWork: 100_000 }).encode([recordOf(batchOf(body, { spanCount: 2 }))])
    expect(rows).toBe(0)
    expect(rejected).toMatchObject([{ index: 0 }, { index: 1 }])
  })
})

describe('requests of real clients are far below the default limit', () => {
  const limit = scanOf(bodyOf([])).options.maxWork

  test('each recorded request, scaled to 8,192 spans', () => {
    for (const fixture of otlpFixtures()) {
      const body = protobufOf(fixture)
      // The scan does not count the work of small requests, so the test repeats the request. The limit applies to 8,192 spans, the size of
      // a large request from a collector.
      const times = Math.ceil(300_000 / body.length)
      const { work, spanCount } = scanOf(Buffer.concat(Array(times).fill(body)))
      expect([fixture.case, (work / spanCount) * 8192 < limit]).toEqual([fixture.case, true])
    }
  })

  test('8,192 spans below a resource of 16 KiB', () => {
    const values = attributes(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key.${i}`, 'some text'])))
    const resource = { attributes: many(200, i => text(`resource.${i}`, 'x'.repeat(60))) }
    const body = encodeTraceRequest({
      resourceSpans: [{ resource, scopeSpans: [{ spans: Array(8192).fill(aSpan({ attributes: values })) }] }],
    })
    expect(scanOf(body)).toMatchObject({ spanCount: 8192, rejected: [] })
  })

  test('a message with an image of 20 MiB', () => {
    const image = Buffer.alloc(15 << 20, 'image').toString('base64')
    const messages = JSON.stringify([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }] },
    ])
    const { work, rejected } = scanOf(bodyOf([text('gen_ai.input.messages', messages)]))
    expect(rejected).toEqual([])
    expect(work).toBeLessThan(100)
  })
})

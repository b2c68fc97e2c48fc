import { expect, test } from 'vitest'
import { traceRequestJson } from './json.ts'
import { anyValue, attributes, type TraceRequest } from './otlp-types.ts'
import { decodeTraceRequest, encodeTraceRequest, referenceCodec } from './protobuf.ts'

const request: TraceRequest = {
  resourceSpans: [
    {
      resource: { attributes: attributes({ 'service.name': 'a' }) },
      scopeSpans: [
        {
          scope: { name: 's', version: '1' },
          spans: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: Buffer.from('b7ad6b7169203331', 'hex'),
              name: 'ü',
              startTimeUnixNano: 1_795_000_000_123_456_789n,
              endTimeUnixNano: '1795000000123456790',
              attributes: [
                ...attributes({ big: 9_007_199_254_740_993n, negative: -1, bytes: new Uint8Array([0, 255]), list: ['a', 'b'], half: 0.5 }),
                { key: 'map', value: { kvlistValue: { values: attributes({ inner: true }) } } },
                { key: 'nothing' },
              ],
              events: [{ timeUnixNano: 1n, name: 'e' }],
              links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00', flags: 1 }],
              status: { code: 2, message: 'bad' },
            },
          ],
        },
      ],
    },
  ],
}

test('64-bit values, bytes and nested values survive exactly', () => {
  const span = decodeTraceRequest(encodeTraceRequest(request)).resourceSpans![0]!.scopeSpans![0]!.spans![0]!
  const values = Object.fromEntries(span.attributes!.map(a => [a.key, a.value]))
  expect(span.startTimeUnixNano).toBe('1795000000123456789')
  expect(span.endTimeUnixNano).toBe('1795000000123456790')
  expect(values['big']).toEqual({ intValue: '9007199254740993' })
  expect(values['negative']).toEqual({ intValue: '-1' })
  expect([...values['bytes']!.bytesValue!]).toEqual([0, 255])
  expect(values['list']).toEqual(anyValue(['a', 'b']))
  expect(values['map']!.kvlistValue!.values).toEqual([{ key: 'inner', value: { boolValue: true } }])
  expect(values['nothing']).toBeUndefined()
  expect(span.links![0]!.spanId).toHaveLength(1)
  expect(span.status).toEqual({ code: 2, message: 'bad' })
})

test('JSON keeps the digits of integers that a number would round', () => {
  const text = traceRequestJson(request).toString()
  expect(text).toContain('"intValue":9007199254740993}')
  expect(text).toContain('"startTimeUnixNano":"1795000000123456789"')
  expect(text).toContain('"bytesValue":"AP8="')
  expect(text).not.toContain('parentSpanId')
})

test('ids of a wrong length are written unchanged', () => {
  const bytes = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'aa', spanId: new Uint8Array(0) }] }] }] })
  const span = decodeTraceRequest(bytes).resourceSpans![0]!.scopeSpans![0]!.spans![0]!
  expect(span.traceId).toHaveLength(1)
  expect(span.spanId).toBeUndefined()
})

test('the reference codec decodes its own output', () => {
  const bytes = encodeTraceRequest(request)
  expect(Buffer.from(referenceCodec.encode(referenceCodec.decode(bytes))).equals(bytes)).toBe(true)
})

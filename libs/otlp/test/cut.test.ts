import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forEachSpan, keepValidSpans, scanTraceRequest, sliceByTrace, splitRequest } from '../src/index.ts'
import { decode, encodeRequest, type Json } from './oracle.ts'
import { mixedRequest, options, wireForm } from './requests.ts'

const scan = (bytes: Uint8Array) => scanTraceRequest(bytes, options)
const encode = (request: Json) => encodeRequest(wireForm(request) as Json)

/** Every span with what it belongs to: what a cut must preserve. */
const flat = (bytes: Uint8Array): Json[] => {
  const spans: Json[] = []
  forEachSpan(bytes, c => {
    spans.push({
      resource: decode('Resource', bytes.subarray(c.resourceStart, c.resourceEnd)),
      scope: decode('InstrumentationScope', bytes.subarray(c.scopeStart, c.scopeEnd)),
      span: Buffer.from(bytes.subarray(c.spanStart, c.spanEnd)).toString('hex'),
    })
  })
  return spans
}
const valid = (bytes: Uint8Array): Json[] => {
  const rejected = new Set(scan(bytes).rejected.map(r => r.index))
  return flat(bytes).filter((_, index) => !rejected.has(index))
}

describe('cuts', () => {
  test('keepValidSpans gives the valid spans, each with its resource and scope', () => {
    fc.assert(
      fc.property(mixedRequest, request => {
        const bytes = encode(request)
        const kept = keepValidSpans(bytes, scan(bytes))
        expect(flat(kept)).toEqual(valid(bytes))
        expect(decode('ExportTraceServiceRequest', kept)).toBeDefined()
        expect(scan(kept).rejected).toEqual([])
      }),
    )
  })

  test('sliceByTrace is a partition of the valid spans', () => {
    fc.assert(
      fc.property(mixedRequest, request => {
        const bytes = encode(request)
        const slices = sliceByTrace(bytes, scan(bytes))
        const traceOf = (span: Json) => decode('Span', Buffer.from(span['span'] as string, 'hex'))['traceId']
        const wanted = Map.groupBy(valid(bytes), traceOf)
        expect([...slices.keys()]).toEqual([...wanted.keys()])
        for (const [traceId, { payload, spanCount }] of slices) {
          expect(flat(payload)).toEqual(wanted.get(traceId))
          expect(spanCount).toBe(wanted.get(traceId)?.length)
        }
      }),
    )
  })

  test('splitRequest: parts hold to both limits, in order, and only spans that fit nowhere are missing', () => {
    fc.assert(
      fc.property(mixedRequest, fc.integer({ min: 20, max: 30_000 }), fc.integer({ min: 1, max: 4 }), (request, maxBytes, maxSpans) => {
        const bytes = encode(request)
        const { parts, rejected } = splitRequest(bytes, scan(bytes), maxBytes, maxSpans)
        for (const { payload, spanCount } of parts) {
          expect(payload.length).toBeLessThanOrEqual(maxBytes)
          expect(spanCount).toBeLessThanOrEqual(maxSpans)
          expect(flat(payload)).toHaveLength(spanCount)
        }
        const missing = new Set([...rejected, ...scan(bytes).rejected].map(r => r.index))
        expect(parts.flatMap(part => flat(part.payload))).toEqual(flat(bytes).filter((_, index) => !missing.has(index)))
        for (const span of rejected) expect(span).toMatchObject({ reason: 'too_large', message: expect.stringContaining(String(maxBytes)) })
      }),
    )
  })

  test('fields unknown to us stay on resource spans, scope spans and spans', () => {
    const spans = [{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }, {}]
    const bytes = encode({ resourceSpans: [{ schemaUrl: 'r', scopeSpans: [{ schemaUrl: 's', spans }] }] })
    const kept = keepValidSpans(bytes, scan(bytes))
    expect(decode('ExportTraceServiceRequest', kept)).toEqual({
      resourceSpans: [{ schemaUrl: 'r', scopeSpans: [{ schemaUrl: 's', spans: [spans[0]] }] }],
    })
  })

  test('F29 · a large resource times many traces is refused before memory is taken', () => {
    const spans = Array.from({ length: 2000 }, (_, i) => ({ traceId: i.toString(16).padStart(32, 'a'), spanId: 'cd'.repeat(8) }))
    const resource = { attributes: [{ key: 'x'.repeat(1_000_000) }] }
    const bytes = encode({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
    expect(() => sliceByTrace(bytes, scan(bytes))).toThrow(expect.objectContaining({ code: 'body_too_large' }))
    expect(() => splitRequest(bytes, scan(bytes), 1_000_200)).toThrow(expect.objectContaining({ code: 'body_too_large' }))
  })
})

import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keepValidSpans, singleSpans, sliceByTrace, spansLargerThan, splitRequest } from '../src/cut.ts'
import { maxEnvelopes, smallestRowBytes } from '../src/row-budget.ts'
import { scanTraceRequest } from '../src/scan.ts'
import { forEachSpan } from '../src/span-cursor.ts'
import { storedBytes } from '../src/stored-bytes.ts'
import { decode, encodeRequest, type Json } from './oracle.ts'
import { field, join } from './raw.ts'
import { mixedRequest, options, wireForm } from './requests.ts'

const scan = (bytes: Uint8Array) => scanTraceRequest(bytes, options)
const encode = (request: Json) => encodeRequest(wireForm(request) as Json)

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

const wrapped = 2
const varint = (value: number): Buffer => {
  const bytes: number[] = []
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return Buffer.from([...bytes, value])
}

describe('cuts', () => {
  test('keepValidSpans returns each valid span with its resource and scope', () => {
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

  test('sliceByTrace partitions the valid spans', () => {
    fc.assert(
      fc.property(mixedRequest, request => {
        const bytes = encode(request)
        const slices = new Map(sliceByTrace(bytes, scan(bytes)))
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

  test('splitRequest: parts respect both limits, in order, and omit only spans that exceed a limit alone', () => {
    fc.assert(
      fc.property(mixedRequest, fc.integer({ min: 20, max: 30_000 }), fc.integer({ min: 1, max: 4 }), (request, maxBytes, maxSpans) => {
        const bytes = encode(request)
        const scanned = scan(bytes)
        const { parts, large } = splitRequest(bytes, scanned, { maxBytes, maxSpans })
        for (const { payload, spanCount } of parts) {
          expect(payload.length).toBeLessThanOrEqual(maxBytes)
          expect(spanCount).toBeLessThanOrEqual(maxSpans)
          expect(flat(payload)).toHaveLength(spanCount)
        }
        const missing = new Set([...large, ...scanned.rejected.map(r => r.index)])
        expect(parts.flatMap(part => flat(part.payload))).toEqual(flat(bytes).filter((_, index) => !missing.has(index)))
        expect(spansLargerThan(bytes, scanned, maxBytes)).toEqual(large)
        const alone = [...singleSpans(bytes, scanned, large)]
        for (const { payload } of alone) expect(payload.length).toBeGreaterThan(maxBytes - 12)
        expect(alone.flatMap(({ payload }) => flat(payload))).toEqual(large.map(index => flat(bytes)[index]))
        const rowBytes = [...parts, ...alone].map(part => {
          expect(part.rowBytes).toBe(scan(part.payload).rowBytes)
          return part.rowBytes
        })
        expect(rowBytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(scanned.rowBytes)
      }),
    )
  })

  test('unknown fields stay on resource spans, scope spans and spans', () => {
    const spans = [{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }, {}]
    const bytes = encode({ resourceSpans: [{ schemaUrl: 'r', scopeSpans: [{ schemaUrl: 's', spans }] }] })
    const kept = keepValidSpans(bytes, scan(bytes))
    expect(decode('ExportTraceServiceRequest', kept)).toEqual({
      resourceSpans: [{ schemaUrl: 'r', scopeSpans: [{ schemaUrl: 's', spans: [spans[0]] }] }],
    })
  })

  test('parts respect the limit of row bytes, and a row above the limit becomes a separate part', () => {
    fc.assert(
      fc.property(mixedRequest, fc.integer({ min: 1, max: 20_000 }), (request, maxRowBytes) => {
        const bytes = encode(request)
        const { parts, large } = splitRequest(bytes, scan(bytes), { maxRowBytes })
        expect(large).toEqual([])
        expect(parts.flatMap(part => flat(part.payload))).toEqual(valid(bytes))
        for (const { rowBytes, spanCount } of parts) if (spanCount > 1) expect(rowBytes).toBeLessThanOrEqual(maxRowBytes)
      }),
    )
  })
})

describe('the budget of a request', () => {
  const spansOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ traceId: (i + 1).toString(16).padStart(32, '0'), spanId: 'cd'.repeat(8) }))
  const requestOf = (resourceBytes: number, spans: number) =>
    encode({
      resourceSpans: [{ resource: { attributes: [{ key: 'x'.repeat(resourceBytes) }] }, scopeSpans: [{ spans: spansOf(spans) }] }],
    })
  const tooLarge = expect.objectContaining({ code: 'body_too_large', message: expect.stringMatching(/Send fewer/) })

  test('the row bytes of a span include its resource and scope, and are never less than the smallest row', () => {
    fc.assert(
      fc.property(mixedRequest, request => {
        const bytes = encode(request)
        const scanned = scan(bytes)
        const rejected = new Set(scanned.rejected.map(r => r.index))
        let wanted = 0
        forEachSpan(bytes, c => {
          if (rejected.has(c.index)) return
          const shared = storedBytes(bytes, c.resourceStart, c.resourceEnd) + storedBytes(bytes, c.scopeStart, c.scopeEnd)
          const own = c.spanEnd - c.spanStart + shared
          wanted += Math.max(smallestRowBytes, own)
        })
        expect(scanned.rowBytes).toBe(wanted)
      }),
    )
  })

  test('F50 · the scan rejects a request with too many or too large rows', () => {
    const refused: readonly (readonly [resourceBytes: number, spans: number])[] = [
      [60 << 20, 16],
      [0, 200_000],
      [9 << 20, 2500],
      [1 << 20, 20_000],
    ]
    for (const [resourceBytes, spans] of sized(refused, refused.slice(0, 2)))
      expect(() => scan(requestOf(resourceBytes, spans))).toThrow(tooLarge)
    expect(scan(requestOf(16 << 10, 8192)).rejected).toEqual([])
    expect(scan(requestOf(60 << 20, 4)).rejected).toEqual([])
  })

  test('F50 · rejects a request with too many empty resources or scopes, which take only two bytes each', () => {
    const request = (kind: 'resources' | 'scopes', count: number) => {
      const empty = Buffer.alloc(2 * count, Uint8Array.of(kind === 'resources' ? 0x0a : 0x12, 0))
      return kind === 'resources' ? empty : join(field(1, empty))
    }
    for (const kind of ['resources', 'scopes'] as const) {
      expect(scan(request(kind, maxEnvelopes - 1)).spanCount).toBe(0)
      expect(() => scan(request(kind, maxEnvelopes + 1))).toThrow(expect.objectContaining({ code: 'body_too_large' }))
    }
  })

  test('rejects only the span whose row alone is too large, by its number', () => {
    const spans = [{ ...spansOf(1)[0], name: 'a'.repeat(5000) }, ...spansOf(2)]
    const bytes = encode({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    const scanned = scanTraceRequest(bytes, { ...options, maxRowBytes: 4999 })
    expect(scanned.rejected).toMatchObject([{ index: 0, reason: 'too_large', message: expect.stringContaining('4999') }])
    expect(scanned.rowBytes).toBe(2 * smallestRowBytes)
  })

  test('F50 · rejects more traces than allowed before it creates a slice', () => {
    const bytes = requestOf(100, 5000)
    expect(() => sliceByTrace(bytes, scan(bytes), 4999)).toThrow(tooLarge)
    expect([...sliceByTrace(bytes, scan(bytes), 5000)]).toHaveLength(5000)
  })

  test('F29 · counts unknown fields, which every slice repeats although no row contains them', () => {
    const unknown = Buffer.concat([Buffer.from([0xfa, 0x07, 0x80, 0x80, 0x40]), Buffer.alloc(1 << 20)])
    const inner = Buffer.concat([
      ...spansOf(1000).map(span => Buffer.from(encode({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })).subarray(wrapped)),
      unknown,
    ])
    const bytes = Buffer.concat([Buffer.from([0x0a]), varint(inner.length), inner])
    expect(scan(bytes).rejected).toEqual([])
    expect(() => sliceByTrace(bytes, scan(bytes))).toThrow(tooLarge)
    expect(() => splitRequest(bytes, scan(bytes), { maxSpans: 1 })).toThrow(tooLarge)
  })
})

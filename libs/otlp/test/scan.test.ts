import { isAppError } from '@svc-server/errors'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxContainers } from '../src/nesting.ts'
import { describeRejections, maxRejectedSpans } from '../src/rejection.ts'
import { scanTraceRequest } from '../src/scan.ts'
import { decodeRequest, encode, encodeRequest, type Json } from './oracle.ts'
import { field, join, nestedAttribute, requestOfRaw } from './raw.ts'
import { mixedRequest, options, receivedAtMs, validRequest, wireForm } from './requests.ts'

const good = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), startTimeUnixNano: `${receivedAtMs}000000` }
const requestOf = (...spans: Json[]) => encodeRequest(wireForm({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) as Json)
const scanOf = (...spans: Json[]) => scanTraceRequest(requestOf(...spans), options)
const ns = (iso: string) => `${Date.parse(iso)}000000`

describe('scan', () => {
  test('counts the spans that the oracle decodes', () => {
    fc.assert(
      fc.property(mixedRequest, request => {
        const bytes = encodeRequest(wireForm(request) as Json)
        const decoded = decodeRequest(bytes) as { resourceSpans?: { scopeSpans?: { spans?: unknown[] }[] }[] }
        const spans = (decoded.resourceSpans ?? []).flatMap(r => (r.scopeSpans ?? []).flatMap(s => s.spans ?? []))
        expect(scanTraceRequest(bytes, options).spanCount).toBe(spans.length)
      }),
    )
  })

  test('accepts every valid request', () => {
    fc.assert(
      fc.property(validRequest, request => {
        expect(scanTraceRequest(encodeRequest(wireForm(request) as Json), options).rejected).toEqual([])
      }),
    )
  })

  test('F30 · a wrong id rejects only its span, with index, reason and value', () => {
    const { spanCount, rejected } = scanOf(
      good,
      { ...good, traceId: 'abcd' },
      { ...good, traceId: '' },
      good,
      { ...good, spanId: '' },
      { ...good, spanId: '00'.repeat(8) },
      { ...good, traceId: '00'.repeat(16) },
      { ...good, spanId: 'ef'.repeat(9) },
      { ...good, parentSpanId: 'ef'.repeat(7) },
      { ...good, parentSpanId: '00'.repeat(8) },
    )
    expect(spanCount).toBe(10)
    expect(rejected.map(r => [r.index, r.reason])).toEqual([
      [1, 'trace_id_invalid'],
      [2, 'trace_id_absent'],
      [4, 'span_id_absent'],
      [5, 'span_id_zero'],
      [6, 'trace_id_zero'],
      [7, 'span_id_invalid'],
      [8, 'parent_span_id_invalid'],
    ])
    expect(rejected[0]?.message).toContain('abcd')
  })

  test('F30 · rejects a logs export record by record, and names the path for logs', () => {
    const log = {
      timeUnixNano: ns('2026-11-21'),
      observedTimeUnixNano: ns('2026-11-21'),
      severityNumber: 9,
      severityText: 'INFO',
      body: { stringValue: 'hello' },
      attributes: [{ key: 'a', value: { stringValue: 'b' } }],
      traceId: Buffer.from('ab'.repeat(16), 'hex'),
      spanId: Buffer.from('cd'.repeat(8), 'hex'),
    }
    const bytes = encode('ExportLogsServiceRequest', { resourceLogs: [{ scopeLogs: [{ logRecords: [log, log] }] }] })
    const { spanCount, rejected } = scanTraceRequest(bytes, options)
    expect(spanCount).toBe(2)
    expect(rejected).toHaveLength(2)
    for (const span of rejected)
      expect(span).toMatchObject({ reason: 'trace_id_absent', message: expect.stringMatching(/logs.*\/v1\/logs/) })
  })

  test('F16 · rejects a start outside [36 calendar months back, 1 month ahead] with its value', () => {
    const at = (iso: string) => scanOf({ ...good, startTimeUnixNano: ns(iso) }).rejected[0]
    expect(at('2023-11-21T00:00:00.000Z')).toBeUndefined()
    expect(at('2023-11-20T23:59:59.000Z')?.reason).toBe('start_time_range')
    expect(at('2026-12-21T00:00:00.000Z')).toBeUndefined()
    expect(at('2026-12-21T00:00:01.000Z')?.reason).toBe('start_time_range')
    expect(at('2299-12-31T00:00:00.000Z')?.message).toBe(
      'startTimeUnixNano 10413705600000000000 (2299-12-31T00:00:00.000Z) is outside 2023-11-21T00:00:00.000Z to 2026-12-21T00:00:00.000Z.',
    )
    expect(scanOf({ ...good, startTimeUnixNano: '18446744073709551615' }).rejected).toHaveLength(1)
    expect(scanOf({ ...good, startTimeUnixNano: '1' }).rejected).toHaveLength(1)
  })

  test('F16 · months are calendar months', () => {
    const march31 = { receivedAtMs: Date.parse('2026-03-31T12:00:00Z'), maxAgeMonths: 1 }
    const at = (iso: string) => scanTraceRequest(requestOf({ ...good, startTimeUnixNano: ns(iso) }), march31).rejected.length
    expect(at('2026-02-28T12:00:00Z')).toBe(0)
    expect(at('2026-02-28T11:59:59Z')).toBe(1)
    expect(at('2026-04-30T12:00:00Z')).toBe(0)
    expect(at('2026-04-30T12:00:01Z')).toBe(1)
  })

  test('F16 · checks the end when the start is zero, and accepts a span without both', () => {
    const { startTimeUnixNano: _, ...untimed } = good
    expect(scanOf(untimed, { ...untimed, endTimeUnixNano: ns('2026-11-01') }).rejected).toEqual([])
    expect(scanOf({ ...untimed, endTimeUnixNano: ns('2299-01-01') }).rejected).toMatchObject([
      { reason: 'end_time_range', message: expect.stringContaining('2299-01-01') },
    ])
    expect(scanOf({ ...good, endTimeUnixNano: ns('2299-01-01') }).rejected).toEqual([])
  })

  test('F29 · accepts nesting up to the limit, and rejects only the span beyond it, even with 10,000 levels', () => {
    const ids = encode('Span', wireForm(good) as Json)
    const deep = (lists: number) => join(ids, nestedAttribute(lists))
    const bytes = requestOfRaw(ids, deep(maxContainers), deep(maxContainers + 1), deep(10_000), ids)
    expect(scanTraceRequest(bytes, options).rejected).toMatchObject([
      { index: 2, reason: 'too_deep' },
      { index: 3, reason: 'too_deep' },
    ])
  })

  test('malformed content rejects its span, and a malformed envelope rejects the request', () => {
    const ids = encode('Span', wireForm(good) as Json)
    const spans = requestOfRaw(ids, join(ids, Uint8Array.of(0x4a, 0x02, 0x0a, 0x05)), join(ids, Uint8Array.of(0x0f)))
    expect(scanTraceRequest(spans, options).rejected).toMatchObject([
      { index: 1, reason: 'malformed', message: expect.stringContaining('byte') },
      { index: 2, reason: 'malformed', message: expect.stringContaining('wire type 7') },
    ])
    const resource = field(1, field(1, Uint8Array.of(0x0a, 0x05)), field(2, field(2, ids)))
    expect(() => scanTraceRequest(resource, options)).toThrow(
      expect.objectContaining({ code: 'body_undecodable', message: expect.stringContaining('resource') }),
    )
  })

  test('accepts text with invalid UTF-8', () => {
    const span = join(encode('Span', wireForm(good) as Json), Uint8Array.of(0x2a, 0x02, 0xff, 0xfe))
    expect(scanTraceRequest(requestOfRaw(span), options)).toMatchObject({ spanCount: 1, rejected: [] })
  })

  test('F29 · rejects the request when it has too many rejected spans', () => {
    const empty = Buffer.alloc((maxRejectedSpans + 1) * 2, Uint8Array.of(0x12, 0x00))
    const bytes = field(1, field(2, empty))
    expect(() => scanTraceRequest(bytes, options)).toThrow(expect.objectContaining({ code: 'body_undecodable' }))
  })

  test('the summary names every reason once, with its count', () => {
    const { spanCount, rejected } = scanOf(good, { ...good, traceId: '' }, { ...good, spanId: '' }, { ...good, traceId: '' })
    expect(describeRejections(spanCount, rejected)).toBe(
      '3 of 4 spans were rejected. span 1: The trace id is missing. (2 spans in all with trace_id_absent) span 2: The span id is missing.',
    )
  })
})

describe('hostile bytes', () => {
  const outcome = (bytes: Uint8Array) => {
    try {
      return scanTraceRequest(bytes, options).spanCount
    } catch (error) {
      if (isAppError(error) && error.code === 'body_undecodable') return 'refused'
      throw error
    }
  }

  test('F29 · survives truncation at every byte', () => {
    const bytes = requestOf(
      { ...good, name: 'a', attributes: [{ key: 'k', value: { arrayValue: { values: [{ stringValue: 'x' }] } } }] },
      { ...good, events: [{ name: 'e', attributes: [{ key: 'k', value: { kvlistValue: { values: [{ key: 'z' }] } } }] }] },
    )
    for (let end = 1; end < bytes.length; end++) expect(outcome(bytes.subarray(0, end))).toBe('refused')
  })

  test('F29 · survives random mutations', () => {
    const bytes = requestOf({ ...good, attributes: [{ key: 'k', value: { arrayValue: { values: [{ stringValue: 'x' }] } } }] }, good)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }), mutations => {
        const mutated = Uint8Array.from(bytes)
        for (const [at, value] of mutations) mutated[at] = value
        expect(outcome(mutated)).toBeDefined()
      }),
      { numRuns: sized(5000, 1000) },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), noise => {
        expect(outcome(noise)).toBeDefined()
      }),
      { numRuns: sized(5000, 1000) },
    )
  })
})

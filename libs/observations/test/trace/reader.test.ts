import { zstdCompressSync } from 'node:zlib'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { attributes, encodeTraceRequest, type Span, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTraceReader, maxTagLength, maxTraceTags, maxValueBytes, noCandidates } from '../../src/trace/index.ts'
import { batchOf, receivedAtMs, requestOf } from '../mapped-rows.ts'
import { childSpan, readingOf, requestOfSpans, rootSpan, saidBy, staged, valuesOf } from './candidates.ts'

const childIds = { spanId: '00000000000000c1' }
const rootIds = { spanId: '00000000000000f0' }

describe('statements of a span', () => {
  test('include each attribute of the trace in its column’s form', () => {
    const values = {
      'svc.trace.name': 'n',
      'user.id': 42,
      'session.id': 's',
      'svc.release': 'r',
      'svc.environment': 'svc-Prod',
      'svc.trace.public': 'true',
    }
    expect(saidBy(values, { resource: { 'service.version': '1.0' } })).toEqual({
      name: 'n',
      userId: '42',
      sessionId: 's',
      release: 'r',
      version: '1.0',
      environment: 'prod',
      public: 'true',
    })
  })

  test('may be absent', () => {
    expect(readingOf(requestOfSpans(childSpan({ 'gen_ai.request.model': 'm' }))).candidates).toBe(noCandidates)
    expect(saidBy({ 'svc.trace.name': '', 'svc.version': '', 'svc.trace.tags': [] })).toEqual({})
  })

  test('are also read from attributes of a brand alias', () => {
    const request = requestOfSpans(childSpan({ 'acme.trace.name': 'n', 'acme.user.id': 'u', 'acme.internal.as_root': true }))
    const { candidates } = readingOf(request, {}, { brandAliases: ['acme'] })
    expect(valuesOf(candidates)).toEqual({ name: 'n', userId: 'u' })
    expect(candidates.winners.map(({ explicit, root }) => [explicit, root])).toEqual([
      [true, false],
      [true, false],
    ])
    expect(readingOf(request).candidates).toBe(noCandidates)
  })

  test('real clients 1: the newest SDKs encode the trace’s part of the metadata as JSON', () => {
    const values = { 'svc.trace.metadata.svc_user_id': '"u"', 'svc.trace.metadata.svc_tags': '["t"]' }
    const said = requestOfSpans(childSpan(values))
    const newest = readingOf(said, { sdkName: 'python', sdkVersion: '5.0.4' }).candidates
    expect(newest.winners).toMatchObject([{ field: 'userId', value: 'u', explicit: true }])
    expect(newest.tags).toEqual(['t'])
    expect(valuesOf(readingOf(said, { sdkName: 'python', sdkVersion: '4.18.0' }).candidates)).toEqual({ userId: '"u"' })
  })

  test('contain invalid UTF-8 and unpaired surrogates in their stored form', () => {
    const bytes = encodeTraceRequest(requestOfSpans(childSpan({ 'user.id': 'u#é' })))
    bytes[bytes.indexOf('u#'.charCodeAt(1), bytes.indexOf('user.id'.charCodeAt(0)))] = 0xff
    const reading = createTraceReader().read(encodeSpanBatch(batchOf(bytes)))
    expect(reading.ok && valuesOf(reading.candidates)).toEqual({ userId: 'u\ufffdé' })
    const encoded = { 'svc.trace.metadata.svc_user_id': '"\\ud800"', 'svc.trace.metadata.svc_tags': '["\\ud800"]' }
    const { candidates } = readingOf(requestOfSpans(childSpan(encoded)), { sdkName: 'python', sdkVersion: '5.0.4' })
    expect([valuesOf(candidates), candidates.tags]).toEqual([{ userId: '\ufffd' }, ['\ufffd']])
  })
})

describe('precedence of spans', () => {
  test.each<[string, Parameters<typeof childSpan>, rootSeen: boolean, root: boolean]>([
    ['no parent', [{}, { parentSpanId: '' }], true, true],
    ['a parent of zeros', [{}, { parentSpanId: '0000000000000000' }], true, true],
    // A span with this mark is a root only for its subtree, not for the trace.
    ['svc.internal.as_root', [{ 'svc.internal.as_root': 'true' }], true, false],
    ['svc.internal.is_app_root', [{ 'svc.internal.is_app_root': true }], true, false],
    ['marked as none', [{ 'svc.internal.is_app_root': false, 'svc.internal.as_root': 'no' }], false, false],
    ['a parent', [{}], false, false],
  ])('root: %s', (_, [values, fields], seen, root) => {
    const { winners, rootSeen } = readingOf(requestOfSpans(childSpan({ 'user.id': 'u', ...values }, fields))).candidates
    expect(rootSeen).toBe(seen)
    expect(winners.find(({ field }) => field === 'userId')!.root).toBe(root)
  })

  test('2.15 a span marked as root precedes others only when no span is parentless', () => {
    const mark = { 'svc.internal.is_app_root': true }
    const marked = childSpan(
      { ...mark, 'user.id': 'its user' },
      { name: 'inner', spanId: '00000000000000c1', startTimeUnixNano: 1795262400000000001n },
    )
    const parentless = rootSpan(
      { 'user.id': 'the user' },
      { name: 'outer', spanId: '00000000000000c2', startTimeUnixNano: 1795262400000009000n },
    )
    const child = childSpan({ 'user.id': 'a child’s' }, { spanId: '00000000000000c3', startTimeUnixNano: 1795262400000000000n })
    for (const order of [
      [child, marked, parentless],
      [parentless, marked, child],
    ]) {
      expect(valuesOf(readingOf(requestOfSpans(...order)).candidates)).toMatchObject({ name: 'outer', userId: 'the user' })
    }
    expect(valuesOf(readingOf(requestOfSpans(child, marked)).candidates)).toMatchObject({ name: 'inner', userId: 'its user' })
  })

  test('orders by root, then by attributes about the trace, then by the earlier start, then by the smaller id', () => {
    const user = (value: string) => ({ 'user.id': value })
    const meant = (value: string) => ({ 'svc.trace.metadata.svc_user_id': value })
    const at = (ns: bigint) => ({ startTimeUnixNano: 1795262400000000000n + ns })
    // The spans are sorted by precedence: the highest precedence comes first.
    const spans = [
      rootSpan(meant('root, meant, late'), { ...at(9000n), spanId: '00000000000000b0' }),
      rootSpan(user('root'), { ...at(8000n), spanId: '00000000000000b1' }),
      childSpan(meant('child, meant'), { ...at(7000n), spanId: '00000000000000b2' }),
      childSpan(user('first'), { ...at(1000n), spanId: '00000000000000b5' }),
      childSpan(user('second, smaller id'), { ...at(2000n), spanId: '00000000000000b3' }),
      childSpan(user('second, larger id'), { ...at(2000n), spanId: '00000000000000b4' }),
    ]
    for (let from = 0; from < spans.length; from++) {
      for (const order of [spans.slice(from), spans.slice(from).reverse()]) {
        const { winners } = readingOf(requestOfSpans(...order)).candidates
        expect(winners.find(({ field }) => field === 'userId')).toMatchObject({ spanId: spans[from]!.spanId })
      }
    }
  })

  test('of two spans with one id, the smaller value wins in any order', () => {
    const twice = [childSpan({ 'user.id': 'b' }), childSpan({ 'user.id': 'a' })]
    for (const order of [twice, twice.toReversed()])
      expect(valuesOf(readingOf(requestOfSpans(...order)).candidates)).toEqual({ userId: 'a' })
  })

  test('a missing start is the row’s start: the end, else the receipt time', () => {
    const startOf = (fields: object) => readingOf(requestOfSpans(childSpan({ 'user.id': 'u' }, fields))).candidates.winners[0]!.startNs
    expect(startOf({})).toBe(1795262400123456000n)
    expect(startOf({ startTimeUnixNano: '0' })).toBe(1795262401000001000n)
    expect(startOf({ startTimeUnixNano: '0', endTimeUnixNano: '0' })).toBe(BigInt(receivedAtMs) * 1_000_000n)
  })
})

describe('the trace name', () => {
  const said = (...spans: readonly Span[]) => readingOf(requestOfSpans(...spans)).candidates.winners
  const named = { 'svc.trace.name': 'given' }

  test('is the root’s own name as its row shows it when no span states one', () => {
    expect(said(childSpan(), rootSpan({}, { name: 'answer', ...rootIds }))).toMatchObject([
      { field: 'name', value: 'answer', root: true, explicit: false },
    ])
    expect(said(rootSpan({ 'logfire.msg': 'message' }))).toMatchObject([{ value: 'message' }])
    expect(said(rootSpan({ 'ai.operationId': 'ai.generateText', 'ai.telemetry.functionId': 'f' }))).toMatchObject([
      { value: 'f:ai.generateText' },
    ])
    expect(said(childSpan({}, { name: 'a child' }))).toEqual([])
  })

  test('stated on a child precedes the root’s own name', () => {
    expect(said(childSpan(named, childIds), rootSpan({}, rootIds))).toMatchObject([{ value: 'given', root: false, explicit: true }])
  })

  test('stated on the root precedes one stated on a child', () => {
    const onRoot = rootSpan({ 'svc.trace.name': 'by the root' }, { ...rootIds, startTimeUnixNano: 1795262400900000000n })
    expect(said(childSpan(named, childIds), onRoot)).toMatchObject([{ value: 'by the root', root: true, explicit: true }])
  })

  test('is absent when the root states an empty name', () => {
    expect(said(rootSpan({ 'svc.trace.name': '' }, { name: 'answer' }))).toEqual([])
  })
})

describe('limits', () => {
  test('ignores a too long value, so that another span’s value is used', () => {
    const long = rootSpan({ 'user.id': 'x'.repeat(maxValueBytes + 1), 'session.id': 'é'.repeat(maxValueBytes / 2) }, rootIds)
    const { candidates, cut } = readingOf(requestOfSpans(long, childSpan({ 'user.id': 'u' }, childIds)))
    expect(valuesOf(candidates)).toMatchObject({ userId: 'u', sessionId: 'é'.repeat(maxValueBytes / 2) })
    expect(cut).toBe(1)
  })

  test('drops long tags and keeps the first of too many tags, whatever the order of the spans', () => {
    const tag = (i: number) => `tag-${String(i).padStart(5, '0')}`
    const many = Array.from({ length: 5_000 }, (_, i) => tag((i * 997) % 5_000))
    const spans = [
      childSpan({ 'svc.trace.tags': many.slice(0, 2_000) }),
      childSpan({ 'svc.trace.tags': ['t'.repeat(maxTagLength + 1), 'ö'.repeat(maxTagLength), ''] }),
      childSpan({ 'svc.trace.tags': many.slice(2_000).join(',') }),
    ]
    for (const order of [spans, spans.toReversed()]) {
      const { candidates, cut } = readingOf(requestOfSpans(...order))
      expect(candidates.tags).toEqual(Array.from({ length: maxTraceTags }, (_, i) => tag(i)))
      expect(cut).toBeGreaterThan(4_700)
    }
    expect(readingOf(requestOfSpans(spans[1]!)).candidates.tags).toEqual(['ö'.repeat(maxTagLength)])
  })

  test('reads repeated tags once and misses no other tag', () => {
    const tags = [['a', 'b'], ['a', 'b'], ['a', 'c'], 'a,d', 'a,d', ['a', 'b']]
    const { candidates } = readingOf(requestOfSpans(...tags.map(value => childSpan({ 'svc.trace.tags': value }))))
    expect(candidates.tags).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('records', () => {
  test('counts all spans, and ignores the statements of those that the writer will dead-letter', () => {
    const { spans, invalid, candidates } = readingOf(
      requestOfSpans(
        rootSpan({ 'user.id': 'no id' }, { spanId: '' }),
        rootSpan({ 'user.id': 'too old' }, { startTimeUnixNano: 1_000_000_000_000_000_000n }),
        childSpan({ 'user.id': 'u' }),
      ),
    )
    expect([spans, invalid, candidates.rootSeen, valuesOf(candidates)]).toEqual([3, 2, false, { userId: 'u' }])
  })

  test('keeps no data of the previous record', () => {
    const reader = createTraceReader()
    const first = staged(requestOfSpans(rootSpan({ 'user.id': 'u', 'svc.trace.tags': ['t'] })))
    const second = staged(requestOfSpans(childSpan({ 'session.id': 's' })))
    reader.read(first)
    const reading = reader.read(second)
    expect(reading).toEqual(createTraceReader().read(second))
    expect(reader.read(first)).toEqual(createTraceReader().read(first))
  })

  test('reads a compressed record within the limit of decoded bytes', () => {
    const bytes = encodeTraceRequest(requestOf({ 'user.id': 'u' }))
    const batch = batchOf(zstdCompressSync(bytes), { contentEncoding: 'zstd', decodedBytes: bytes.length })
    expect(createTraceReader().read(encodeSpanBatch(batch))).toMatchObject({ ok: true, projectId: 'project-1', spans: 1 })
    expect(createTraceReader({ maxDecodedBytes: 10 }).read(encodeSpanBatch(batch))).toMatchObject({
      ok: false,
      reason: 'payload_too_large',
      projectId: 'project-1',
    })
  })

  test('F17 · reports bytes that are not a record, and a record without a request', () => {
    const reader = createTraceReader()
    expect(reader.read(Buffer.from('garbage'))).toMatchObject({ ok: false, reason: 'record_undecodable', projectId: null })
    const garbage = encodeSpanBatch(batchOf(Buffer.from([0x0a, 0x7f])))
    expect(reader.read(garbage)).toMatchObject({ ok: false, reason: 'payload_undecodable', projectId: 'project-1' })
  })

  test('F17 · never throws, whatever the bytes', () => {
    const reader = createTraceReader()
    const good = encodeTraceRequest(requestOfSpans(rootSpan({ 'user.id': 'u', 'svc.trace.tags': ['t', 'u'], 'svc.trace.public': true })))
    const flips = fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 })
    const isRead = (places: readonly (readonly [number, number])[], times: { receivedAtMs: number }) => {
      const bytes = good.slice()
      for (const [at, byte] of places) bytes[at] = byte
      reader.read(encodeSpanBatch(batchOf(bytes, times)))
    }
    const receivedAt = fc.oneof(fc.constant(receivedAtMs), fc.maxSafeInteger()).map(ms => ({ receivedAtMs: ms }))
    fc.assert(fc.property(flips, receivedAt, isRead), { numRuns: sized(3_000, 600) })
    // The returned times must fit into 64 bits, even if the times of the request are impossible.
    for (const receivedAtMs of [-1, Number.MAX_SAFE_INTEGER]) {
      const span = childSpan({ 'user.id': 'u' }, { startTimeUnixNano: '0', endTimeUnixNano: '0' })
      const [winner] = readingOf(requestOfSpans(span), { receivedAtMs }).candidates.winners
      expect(BigInt.asUintN(64, winner!.startNs)).toBe(winner!.startNs)
    }
  })
})

test('a resource’s attributes state only environment, version and release of its spans', () => {
  const resource = {
    'svc.environment': 'prod',
    'svc.release': 'r',
    'service.version': 'v',
    'user.id': 'never',
    'svc.trace.tags': ['never'],
  }
  const request = { resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans: [{ spans: [childSpan()] }] }] }
  const { candidates } = readingOf(request)
  expect([valuesOf(candidates), candidates.tags]).toEqual([{ environment: 'prod', release: 'r', version: 'v' }, []])
})

import { gzipSync, zstdCompressSync } from 'node:zlib'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { attributes, encodeTraceRequest, type Span } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChunkEncoder, type EncodedChunk } from '../src/block/chunk-encoder.ts'
import { aSpan, batchOf, type Mapping, openMapping, receivedAtMs, recordOf } from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const bytesOf = (chunk: EncodedChunk) => Buffer.concat(chunk.body)
const requestWith = (spans: readonly Span[]) => encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
const nano = (iso: string) => String(BigInt(Date.parse(iso)) * 1_000_000n)
const spanId = (n: number) => (n + 1).toString(16).padStart(16, '0')

describe('spans and records that cannot be mapped', () => {
  const good = aSpan()

  test('F14 · rejects one bad span of a batch by its number with its bytes, and stores its siblings', () => {
    const bad = aSpan({ traceId: 'abcd' })
    const record = recordOf(batchOf(requestWith([good, bad, good])))
    const chunk = createChunkEncoder().encode([record])
    expect(chunk).toMatchObject({ rows: 2, spans: 3 })
    expect(chunk.rejected).toMatchObject([{ offset: 7, index: 1, reason: 'trace_id_invalid', projectId: 'project-1' }])
    const raw = chunk.rejected[0]!.raw
    expect(Buffer.from(record.value).includes(Buffer.from(raw))).toBe(true)
    expect(mapping.rows(chunk).map(row => row['blob_storage_file_path'])).toEqual(['spans.direct/3/7#0', 'spans.direct/3/7#2'])
  })

  test.each([
    ['span id of zeroes', { spanId: '0'.repeat(16) }, 'span_id_invalid'],
    ['parent of 3 bytes', { parentSpanId: 'abcdef' }, 'parent_span_id_invalid'],
    ['start 100 years ago', { startTimeUnixNano: nano('1990-01-01T00:00:00Z') }, 'start_time_range'],
    ['start in two months', { startTimeUnixNano: nano('2027-01-01T00:00:00Z') }, 'start_time_range'],
    ['F16 · start in the year 2299', { startTimeUnixNano: nano('2299-01-01T00:00:00Z') }, 'start_time_range'],
  ])('%s', (_, fields, reason) => {
    const chunk = createChunkEncoder().encode([recordOf(batchOf(requestWith([aSpan(fields), good])))])
    expect(chunk.rows).toBe(1)
    expect(chunk.rejected).toMatchObject([{ index: 0, reason }])
  })

  test('stores the siblings of a span with truncated content', () => {
    const inner = Buffer.from(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [good] }] }] }))
    const broken = Buffer.from(inner)
    // Changes the length of the span's name, so that the name extends beyond the span.
    const at = broken.indexOf(Buffer.from('a span')) - 1
    broken[at] = 0x7f
    const chunk = createChunkEncoder().encode([recordOf(batchOf(Buffer.concat([inner, broken, inner])))])
    expect(chunk).toMatchObject({ rows: 2, spans: 3 })
    expect(chunk.rejected).toMatchObject([{ index: 1, reason: 'malformed' }])
  })

  test('F17 · rejects an undecodable record whole, and stores the next record', () => {
    const garbage = { ...recordOf(batchOf(requestWith([good])), 1), value: Buffer.from('no record at all') }
    const cut = recordOf(batchOf(requestWith([good, good]).subarray(0, -3)), 2)
    const noGzip = recordOf(batchOf(requestWith([good]), { contentEncoding: 'gzip' }), 3)
    const chunk = createChunkEncoder().encode([garbage, cut, noGzip, recordOf(batchOf(requestWith([good])), 4)])
    expect(chunk).toMatchObject({ rows: 1, spans: 1 })
    expect(chunk.rejected.map(({ offset, index, reason, projectId }) => ({ offset, index, reason, projectId }))).toEqual([
      { offset: 1, index: null, reason: 'record_undecodable', projectId: null },
      { offset: 2, index: null, reason: 'payload_undecodable', projectId: 'project-1' },
      { offset: 3, index: null, reason: 'payload_undecodable', projectId: 'project-1' },
    ])
    expect(Buffer.from(chunk.rejected[0]!.raw).toString()).toBe('no record at all')
  })

  test('F29 · rejects more decoded bytes than allowed, whether or not the envelope states them', () => {
    const bomb = Buffer.alloc(4 << 20)
    const encoder = createChunkEncoder({ maxDecodedBytes: 1 << 20 })
    const batches = [
      batchOf(gzipSync(bomb), { contentEncoding: 'gzip', decodedBytes: 10 }),
      batchOf(zstdCompressSync(bomb), { contentEncoding: 'zstd', decodedBytes: 10 }),
      batchOf(bomb),
    ]
    const chunk = encoder.encode(batches.map((batch, i) => recordOf(batch, i)))
    expect(chunk.rejected.map(({ reason }) => reason)).toEqual(Array(3).fill('payload_too_large'))
    expect(chunk.rows).toBe(0)
  })

  test('rejects millions of empty spans as one record instead of one by one', () => {
    const empty = Buffer.alloc(400_000).fill(Buffer.from([0x12, 0x00]))
    const wrap = (tag: number, inner: Buffer) =>
      Buffer.concat([Buffer.from([tag, (inner.length & 0x7f) | 0x80, ((inner.length >> 7) & 0x7f) | 0x80, inner.length >> 14]), inner])
    const chunk = createChunkEncoder().encode([recordOf(batchOf(wrap(0x0a, wrap(0x12, empty))))])
    expect(chunk.rejected).toMatchObject([{ index: null, reason: 'payload_undecodable' }])
  })

  test('a large resource above thousands of tiny spans does not become gigabytes', () => {
    const resource = { attributes: attributes({ large: 'x'.repeat(200_000) }) }
    const spans = Array.from({ length: 5000 }, (_, i) => ({
      traceId: good.traceId!,
      spanId: spanId(i),
      startTimeUnixNano: good.startTimeUnixNano!,
    }))
    const chunk = createChunkEncoder({ maxRowBytes: 16 << 20 }).encode([
      recordOf(batchOf(encodeTraceRequest({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }))),
    ])
    expect(chunk.rows + chunk.rejected.length).toBe(5000)
    expect(chunk.rows).toBeGreaterThan(10)
    expect(chunk.rejected[0]).toMatchObject({ reason: 'too_large' })
    expect(bytesOf(chunk).length).toBeLessThan(20_000_000)
  })

  test('F50 · the row budget equals the gateway’s to the byte: a request at the limit is stored, and a limit one byte lower rejects it', () => {
    const shapes = fc.array(
      fc.record({ resource: fc.nat(20_000), scope: fc.nat(9000), spans: fc.array(fc.nat(6000), { minLength: 1, maxLength: 6 }) }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(shapes, shape => {
        const text = (bytes: number) => ({ attributes: attributes({ text: 'x'.repeat(bytes) }) })
        const resourceSpans = shape.map(({ resource, scope, spans }) => ({
          resource: text(resource),
          scopeSpans: [{ scope: text(scope), spans: spans.map(bytes => ({ ...good, ...text(bytes) })) }],
        }))
        const body = encodeTraceRequest({ resourceSpans })
        const { rowBytes: maxRowBytes, spanCount } = scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36 })
        expect(createChunkEncoder({ maxRowBytes }).encode([recordOf(batchOf(body))])).toMatchObject({ rows: spanCount, rejected: [] })
        const tight = createChunkEncoder({ maxRowBytes: maxRowBytes - 1 }).encode([recordOf(batchOf(body))])
        expect(tight.rejected).toMatchObject([{ index: spanCount - 1, reason: 'too_large' }])
      }),
      { numRuns: 30 },
    )
  })

  test('an unreadable resource rejects only its own spans', () => {
    const one = (key: string) =>
      Buffer.from(
        encodeTraceRequest({
          resourceSpans: [{ resource: { attributes: attributes({ [key]: 'v' }) }, scopeSpans: [{ spans: [good] }, { spans: [good] }] }],
        }),
      )
    const broken = one('badkey')
    broken[broken.indexOf(Buffer.from('badkey')) - 1] = 0x70
    const chunk = createChunkEncoder().encode([recordOf(batchOf(Buffer.concat([broken, one('goodkey')])))])
    expect(chunk.rows).toBe(2)
    expect(chunk.rejected.map(({ index }) => index)).toEqual([0, 1])
    expect(mapping.rows(chunk)[0]!.metadata).toEqual({ 'resourceAttributes.goodkey': ['v', 0] })
  })
})

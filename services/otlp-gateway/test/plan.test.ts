// For any input, each span is either in exactly one record, or its index is in the list of rejections.
import { deflateSync, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { keepValidSpans } from '@svc-server/otlp/cut'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { maxRecordRowBytes, maxStagedSpans } from '@svc-server/schema/topics'
import { decodeTraceRequest, encodeTraceRequest, type Span, traceRequestJson } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BelongsInThread, type ExportJob, planExport } from '../src/stages/plan.ts'
import { incompressible, requestOf, span } from './requests.ts'

const MiB = 1024 * 1024
const receivedAtMs = Date.UTC(2026, 10, 21)
const startTimeUnixNano = BigInt(receivedAtMs) * 1_000_000n

const base: Omit<ExportJob, 'body'> = {
  format: 'protobuf',
  compression: 'identity',
  route: 'direct',
  envelope: {
    projectId: 'project-0',
    apiKey: 'pk-test',
    sdkName: 'javascript',
    sdkVersion: '5.11.1',
    ingestionVersion: null,
    receivedAtMs,
    ingestId: 'ingest-1',
  },
  maxDecodedBytes: 64 * MiB,
  maxRecordBytes: 8 * MiB,
  maxAgeMonths: 36,
  maxRowBytes: 256 * MiB,
  maxWork: 3_000_000,
  maxTraces: 20_000,
}

const compressors: Record<ExportJob['compression'], (bytes: Uint8Array) => Uint8Array> = {
  identity: bytes => bytes,
  gzip: bytes => gzipSync(bytes),
  zstd: bytes => zstdCompressSync(bytes),
  deflate: bytes => deflateSync(bytes),
}

const read = (value: Uint8Array) => {
  const batch = decodeSpanBatch(value)
  const { contentEncoding, payload } = batch
  const bytes = contentEncoding === 'gzip' ? gunzipSync(payload) : contentEncoding === 'zstd' ? zstdDecompressSync(payload) : payload
  const spans = (decodeTraceRequest(bytes).resourceSpans ?? []).flatMap(r => (r.scopeSpans ?? []).flatMap(s => s.spans ?? []))
  return { batch, bytes, ids: spans.map(s => Buffer.from(s.spanId as Uint8Array).toString('hex')), spans }
}

const spanIds = fc.uniqueArray(fc.bigInt(1n, 2n ** 64n - 1n), { minLength: 1, maxLength: 25 })
const someSpan = fc.record({
  trace: fc.integer({ min: 1, max: 4 }),
  bytes: fc.constantFrom(0, 100, 1000, 3000, 12_000),
  flaw: fc.constantFrom('none', 'none', 'none', 'no trace', 'zero id', 'old'),
})

describe('a plan', () => {
  test('puts every span into one record that fits or rejects it', () => {
    const facts = fc.record({
      format: fc.constantFrom('protobuf' as const, 'json' as const),
      compression: fc.constantFrom('identity' as const, 'gzip' as const, 'zstd' as const, 'deflate' as const),
      route: fc.constantFrom('direct' as const, 'staging' as const),
      // With the smaller limits, some requests need several records. With the limit 6,000, a span of 12,000 bytes is too large.
      maxRecordBytes: fc.constantFrom(8 * MiB, 12_000, 6_000),
      ids: spanIds,
      shapes: fc.array(someSpan, { minLength: 25, maxLength: 25 }),
    })
    fc.assert(
      fc.property(facts, ({ ids, shapes, ...job }) => {
        const sent = ids.map((id, i): Span => {
          const { trace, bytes, flaw } = shapes[i]!
          return {
            traceId: flaw === 'no trace' ? '' : trace.toString(16).padStart(32, '0'),
            spanId: flaw === 'zero id' ? '0'.repeat(16) : id.toString(16).padStart(16, '0'),
            startTimeUnixNano: flaw === 'old' ? 1n : startTimeUnixNano,
            attributes: [{ key: 'input', value: { stringValue: incompressible(bytes) } }],
          }
        })
        const request = { resourceSpans: [{ scopeSpans: [{ scope: { name: 's' }, spans: sent }] }] }
        const decoded = job.format === 'json' ? traceRequestJson(request) : encodeTraceRequest(request)
        const plan = planExport({ ...base, ...job, body: compressors[job.compression](decoded) })

        expect(plan.spans).toBe(sent.length)
        expect(plan.decodedBytes).toBe(decoded.length)
        const rejected = Object.values(plan.rejected).reduce((sum, count) => sum + count, 0)
        expect(plan.acceptedSpans + rejected).toBe(sent.length)
        expect(plan.notice?.rejectedSpans ?? 0).toBe(rejected)
        const records = plan.records.map(({ key, value }) => ({ key, value, ...read(value) }))
        for (const { key, value, batch, bytes, ids: inRecord, spans } of records) {
          expect(value.length + (key?.length ?? 0)).toBeLessThanOrEqual(job.maxRecordBytes)
          expect(batch).toMatchObject({ ...base.envelope, spanCount: inRecord.length, decodedBytes: bytes.length })
          const traces = new Set(spans.map(s => `project-0/${Buffer.from(s.traceId as Uint8Array).toString('hex')}`))
          if (job.route === 'staging') expect([...traces]).toEqual([Buffer.from(key!).toString()])
          else expect(key).toBeNull()
        }
        const stored = records.flatMap(record => record.ids)
        expect(new Set(stored).size).toBe(stored.length)
        expect(stored).toHaveLength(plan.acceptedSpans)
        const flawless = sent.filter((_, i) => shapes[i]!.flaw === 'none').map(s => s.spanId as string)
        expect(flawless).toEqual(expect.arrayContaining(stored))
        expect(flawless.length - stored.length).toBe(plan.rejected['too_large'] ?? 0)
      }),
      { numRuns: 150 },
    )
  })

  test('states the exact work of each record, and in total at least that of the accepted spans', () => {
    const facts = fc.record({
      route: fc.constantFrom('direct' as const, 'staging' as const),
      maxRecordBytes: fc.constantFrom(8 * MiB, 12_000),
      ids: spanIds,
      shapes: fc.array(someSpan, { minLength: 25, maxLength: 25 }),
      values: fc.integer({ min: 1, max: 2000 }),
    })
    const { receivedAtMs: at } = base.envelope
    const options = { receivedAtMs: at, maxAgeMonths: base.maxAgeMonths }
    fc.assert(
      fc.property(facts, ({ ids, shapes, values, ...job }) => {
        const sent = ids.map((id, i): Span => {
          const { trace, bytes, flaw } = shapes[i]!
          const list = {
            key: 'svc.observation.metadata',
            value: {
              stringValue: `[${Array(values * (i % 3))
                .fill(1)
                .join()}]`,
            },
          }
          return {
            traceId: trace.toString(16).padStart(32, '0'),
            spanId: flaw === 'zero id' ? '0'.repeat(16) : id.toString(16).padStart(16, '0'),
            startTimeUnixNano: flaw === 'old' ? 1n : startTimeUnixNano,
            attributes: [list, { key: 'input', value: { stringValue: incompressible(bytes) } }],
          }
        })
        const resource = { attributes: [{ key: 'tags', value: { stringValue: 'a,'.repeat(values) } }] }
        const body = encodeTraceRequest({ resourceSpans: [{ resource, scopeSpans: [{ spans: sent }] }] })
        const scan = scanTraceRequest(body, options)
        const { work } = scanTraceRequest(keepValidSpans(body, scan), options)
        const { records, acceptedSpans } = planExport({ ...base, ...job, body })
        const said = records.map(({ value }) => {
          const { batch, bytes } = read(value)
          const own = scanTraceRequest(bytes, options).work
          // If a slice alone has less than one unit of work, its `batch.work` is a share of the whole request's work. The test does not
          // compare this value.
          if (own > 0) expect(batch.work).toBe(own)
          return batch.work!
        })
        if (acceptedSpans === scan.spanCount - scan.rejected.length)
          expect(said.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(work)
      }),
      { numRuns: 100 },
    )
  })

  test('F50 · the record of a small but expensive body states its work', () => {
    const list = { key: 'svc.observation.metadata', value: { stringValue: `[${Array(120_000).fill(1).join()}]` } }
    const body = requestOf(span({ attributes: [list] }))
    expect(body.length).toBeLessThan(256 * 1024)
    for (const route of ['direct', 'staging'] as const) {
      const records = planExport({ ...base, route, compression: 'gzip', body: gzipSync(body) }).records
      for (const { value } of records) expect(decodeSpanBatch(value).work).toBeGreaterThan(700_000)
      expect(records).toHaveLength(1)
    }
  })

  test('is the same for the same job, without clock or randomness', () => {
    const body = requestOf(span(), span({ traceId: '' }))
    expect(planExport({ ...base, body })).toEqual(planExport({ ...base, body }))
  })

  test('leaves the caller’s body unchanged', () => {
    const body = Buffer.from(gzipSync(requestOf(span({ attributes: [{ key: 'a', value: { stringValue: incompressible(200_000) } }] }))))
    const copy = Buffer.from(body)
    planExport({ ...base, body, compression: 'gzip' })
    planExport({ ...base, body, compression: 'gzip', route: 'staging' })
    expect(body.equals(copy)).toBe(true)
  })
})

describe('F50 · rows and records of a request', () => {
  const manySpans = (count: number): readonly Span[] =>
    Array.from({ length: count }, (_, i) => ({
      traceId: (i + 1).toString(16).padStart(32, '0'),
      spanId: (i + 1).toString(16).padStart(16, '0'),
      startTimeUnixNano,
    }))
  const bodyOf = (resourceBytes: number, spans: readonly Span[]) =>
    encodeTraceRequest({
      resourceSpans: [
        { resource: { attributes: [{ key: 'large', value: { stringValue: 'x'.repeat(resourceBytes) } }] }, scopeSpans: [{ spans }] },
      ],
    })
  const totalRowBytes = (records: readonly { readonly value: Uint8Array }[]) =>
    records.reduce((sum, { value }) => sum + decodeSpanBatch(value).rowBytes!, 0)
  const bad: Span = { traceId: '', spanId: 'ab'.repeat(8), startTimeUnixNano }

  test.each(['direct', 'staging'] as const)('a large collector batch is accepted on the %s path, in records with bounded rows', route => {
    const body = bodyOf(16 * 1024, manySpans(8192))
    const plan = planExport({ ...base, route, body })
    expect(plan).toMatchObject({ spans: 8192, acceptedSpans: 8192, notice: undefined })
    const batches = plan.records.map(({ value }) => decodeSpanBatch(value))
    expect(batches.reduce((sum, { spanCount }) => sum + spanCount, 0)).toBe(8192)
    for (const { rowBytes } of batches) expect(rowBytes).toBeLessThanOrEqual(maxRecordRowBytes)
    expect(totalRowBytes(plan.records)).toBeGreaterThan(8192 * 16 * 1024)
  })

  test.each([
    ['a resource of 60 MiB above 16 spans', 60 * MiB, manySpans(16)],
    ['a resource of 9 MiB above 2,500 spans, one of them bad', 9 * MiB, [bad, ...manySpans(2500)]],
    ['140,000 traces', 0, manySpans(140_000)],
  ])('%s: refused with body_too_large on both paths', (_, resourceBytes, spans) => {
    const body = zstdCompressSync(bodyOf(resourceBytes, spans))
    for (const route of ['direct', 'staging'] as const) {
      const refused = () => planExport({ ...base, route, compression: 'zstd', body })
      expect(refused).toThrow(expect.objectContaining({ code: 'body_too_large', message: expect.stringContaining('Send fewer') }))
    }
  })

  test('on the staging path, too many traces are refused, and a large resource is repeated within the limit on rows', () => {
    const staged = { ...base, route: 'staging' as const }
    expect(() => planExport({ ...staged, body: bodyOf(0, manySpans(20_001)) })).toThrow(expect.objectContaining({ code: 'body_too_large' }))
    expect(planExport({ ...base, body: bodyOf(0, manySpans(20_001)) })).toMatchObject({ acceptedSpans: 20_001, rejected: {} })
    expect(planExport({ ...staged, body: bodyOf(100_000, manySpans(2000)) }).records).toHaveLength(2000)
  })

  test('spans larger than a record are cut into as many parts as the limit on rows requires', () => {
    // Each part is compressed separately, so the 9 MiB of the resource fit into a record. The limit on the bytes of a record's rows
    // (`maxRecordRowBytes`) determines the number of parts.
    const plan = planExport({ ...base, body: bodyOf(9 * MiB, [bad, ...manySpans(25)]) })
    expect(plan).toMatchObject({ spans: 26, acceptedSpans: 25, rejected: { trace_id_absent: 1 } })
    expect(totalRowBytes(plan.records)).toBeGreaterThan(25 * 9 * MiB)
  })

  test('a trace of many spans is cut into records of limited span counts, because each span gets the fill-in', () => {
    const spans = manySpans(2500).map(each => ({ ...each, traceId: 'ab'.repeat(16) }))
    const plan = planExport({ ...base, route: 'staging', body: bodyOf(10, spans) })
    expect(plan.records.map(({ value }) => decodeSpanBatch(value).spanCount)).toEqual([maxStagedSpans, maxStagedSpans, 500])
  })

  test('a body that is expensive for its size is left to a thread', () => {
    const job = { ...base, route: 'staging' as const, body: bodyOf(50_000, manySpans(500)), maxSortedRowBytes: MiB }
    expect(() => planExport(job)).toThrow(BelongsInThread)
    expect(planExport({ ...job, maxSortedRowBytes: 64 * MiB }).records).toHaveLength(500)
  })
})

test.each([
  ['another signal', '{"resourceLogs":[{"scopeLogs":[]}]}', 'resourceLogs'],
  ['spans in another place', '{"resourceSpans":[{"scopes":[{"spans":[]}]}]}', 'scopes'],
])('2.15 a request with unknown members instead of spans gets a notice that names them: %s', (_, body, name) => {
  const { records, notice } = planExport({ ...base, format: 'json', body: Buffer.from(body) })
  expect(records).toEqual([])
  expect(notice?.message).toContain(name)
})

test('2.15 an unknown protobuf field gets a notice; an empty request succeeds without one', () => {
  // OTLP before version 1.0 had the spans in field 1000.
  expect(planExport({ ...base, body: Uint8Array.of(0x0a, 0x03, 0xc2, 0x3e, 0x00) }).notice?.message).toContain('field 1000')
  for (const body of ['{}', '{"resourceSpans":[]}']) {
    expect(planExport({ ...base, format: 'json', body: Buffer.from(body) }).notice).toBeUndefined()
  }
  expect(planExport({ ...base, body: new Uint8Array(0) }).notice).toBeUndefined()
})

import { gzipSync, zstdCompressSync } from 'node:zlib'
import { attributes, createSpanGenerator, encodeTraceRequest, type Span } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChunkRecord } from '../src/block/chunk.ts'
import { createChunkEncoder, type EncodedChunk } from '../src/block/chunk-encoder.ts'
import {
  aSpan,
  batchOf,
  type Mapping,
  openMapping,
  type Row,
  readable,
  receivedAtMs,
  recordOf,
  requestOf,
  selectionOf,
} from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const bytesOf = (chunk: EncodedChunk) => Buffer.concat(chunk.body)
const requestWith = (spans: readonly Span[]) => encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
const nano = (iso: string) => String(BigInt(Date.parse(iso)) * 1_000_000n)
const spanId = (n: number) => (n + 1).toString(16).padStart(16, '0')

function generated(requests: number, seed = 'chunk'): ChunkRecord[] {
  const generator = createSpanGenerator({ seed, startTimeMs: receivedAtMs, spansPerRequest: 20, projectCount: 3 })
  return Array.from({ length: requests }, (_, i) => {
    const { projectId, protobuf } = generator.next()
    return recordOf(batchOf(protobuf, { projectId }), i)
  })
}

describe('a pure function of the records', () => {
  const records = generated(12)

  test('the same records give the same bytes, whatever the encoder has encoded before', () => {
    const fresh = createChunkEncoder().encode(records)
    const used = createChunkEncoder()
    used.recycle(used.encode(generated(5, 'other')).body)
    used.encode([recordOf(batchOf(Buffer.from('not protobuf')))])
    const again = used.encode(records)
    expect(bytesOf(again).equals(bytesOf(fresh))).toBe(true)
    expect({ ...again, body: [] }).toEqual({ ...fresh, body: [] })
    expect(fresh).toMatchObject({ rows: 240, spans: 240, rejected: [], repairedTexts: 0 })
    expect(fresh.hash).toMatch(/^[0-9a-f]{32}$/)
  })

  test('any subset of the records gives exactly the rows of those records', () => {
    const encoder = createChunkEncoder()
    const all = mapping.rows(encoder.encode(records))
    fc.assert(
      fc.property(fc.subarray(records, { minLength: 1 }), subset => {
        const rows = mapping.rows(encoder.encode(subset))
        expect(rows).toEqual(subset.flatMap(({ offset }) => all.slice(offset * 20, offset * 20 + 20)))
      }),
      { numRuns: 8 },
    )
  })

  test('the hash changes with every byte of the body', () => {
    const { hash } = createChunkEncoder().encode(records)
    expect(createChunkEncoder().encode(records.slice(1)).hash).not.toBe(hash)
    const [first, ...rest] = records
    const later = { ...first!, timestampMs: first!.timestampMs + 1 }
    expect(createChunkEncoder().encode([later, ...rest]).hash).not.toBe(hash)
  })

  test('compressed records give the same rows', () => {
    const body = encodeTraceRequest(requestOf({ a: 'b' }))
    const forms = [
      batchOf(body),
      batchOf(gzipSync(body), { contentEncoding: 'gzip', decodedBytes: body.length }),
      batchOf(zstdCompressSync(body), { contentEncoding: 'zstd', decodedBytes: body.length }),
      // The wrong size in the envelope only slows down decoding.
      batchOf(gzipSync(body), { contentEncoding: 'gzip', decodedBytes: 1 }),
    ]
    const encoder = createChunkEncoder()
    const hashes = forms.map(batch => encoder.encode([recordOf(batch)]).hash)
    expect(new Set(hashes).size).toBe(1)
  })

  test('the order of attributes changes only the order of lists', () => {
    const values = attributes({
      'svc.observation.type': 'generation',
      'svc.observation.input': 'in',
      'svc.observation.metadata.m': '{"a":1}',
      'svc.trace.metadata.t': 'x',
      'svc.trace.tags': ['b', 'a'],
      'user.id': 'u',
      'session.id': 's',
      'gen_ai.request.model': 'r',
      'gen_ai.response.model': 'm',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 5,
      'gen_ai.usage.input_tokens': 1,
      'gen_ai.usage.output_tokens': 2,
      'svc.environment': 'e',
      other: 1.5,
    })
    const canonical = (list: typeof values) => {
      const { metadata_names, metadata_values, metadata_types, ...row } = mapping.row(requestOf({}, { span: { attributes: list } }))
      return { ...row, event_bytes: 0, model_parameters: JSON.parse(String(row['model_parameters'])) }
    }
    const expected = canonical(values)
    fc.assert(
      fc.property(fc.shuffledSubarray(values, { minLength: values.length }), shuffled => {
        expect(canonical(shuffled)).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  })
})

describe('a filled record', () => {
  const stagedAtMs = Date.parse('2026-11-21T12:00:01.500Z')
  const stagedBatch = (generation: number) => ({ staged: { partition: 3, offset: 12, timestampMs: stagedAtMs, generation } })
  const times = (row: Row) => [row['event_ts'], row['created_at'], row['updated_at']]

  test.each([
    [0, '2026-11-21 12:00:01.500000'],
    [2, '2026-11-21 12:00:01.500002'],
  ])('published %i times before: its rows have the time of the staging record', (generation, time) => {
    const row = mapping.row(requestOf({}), stagedBatch(generation))
    expect(times(row)).toEqual([time, time, time])
    expect(row['blob_storage_file_path']).toBe('spans.direct/3/7#0')
  })

  test('a record without an origin has its own append time', () => {
    const own = '2026-11-21 12:00:00.250000'
    expect(times(mapping.row(requestOf({})))).toEqual([own, own, own])
    expect(times(mapping.row(requestOf({}), { staged: null }))).toEqual([own, own, own])
  })

  test('a span without times gets its receipt time, which republication does not change: one row, one key', () => {
    const timeless = requestOf({}, { span: { startTimeUnixNano: '0', endTimeUnixNano: '0' } })
    for (const generation of [0, 1]) {
      const row = mapping.row(timeless, stagedBatch(generation))
      expect([row['start_time'], row['end_time']]).toEqual(['2026-11-21 12:00:00.000000', '2026-11-21 12:00:00.000000'])
    }
  })

  test('equals the staging record except for its origin and fill-in', () => {
    const values = { 'svc.observation.input': 'question', 'user.id': 'u' }
    const columnsOfSpan = ({ event_ts, created_at, updated_at, ...rest }: Row) => rest
    expect(columnsOfSpan(mapping.row(requestOf(values), stagedBatch(1)))).toEqual(columnsOfSpan(mapping.row(requestOf(values))))
  })
})

describe('rows one by one', () => {
  const starts = [
    '2026-09-30T23:59:59.999Z',
    '2026-10-01T00:00:00Z',
    '2026-11-01T00:00:00Z',
    '2026-10-31T23:59:59Z',
    '2026-12-05T00:00:00Z',
  ]
  const spans = starts.map((start, i) => aSpan({ spanId: spanId(i), startTimeUnixNano: nano(start), endTimeUnixNano: nano(start) }))
  const records = [recordOf(batchOf(requestWith(spans)))]

  test('places describe the rows: their keys, their times, and their origins', () => {
    const places = createChunkEncoder().places(records)
    expect(places.map(({ month, index }) => [month, index])).toEqual([
      [202609, 0],
      [202610, 1],
      [202611, 2],
      [202610, 3],
      [202612, 4],
    ])
    expect(places[0]).toEqual({
      projectId: 'project-1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: spanId(0),
      startTimeUs: 1790812799999000,
      eventTsUs: records[0]!.timestampMs * 1000,
      month: 202609,
      type: 'SPAN',
      offset: 7,
      index: 0,
    })
  })

  test('encodes selected rows in the same order, and returns their messages unchanged', () => {
    const encoder = createChunkEncoder()
    const ids = (chunk: EncodedChunk) => mapping.rows(chunk).map(row => row['span_id'])
    const only = selectionOf(encoder.places(records).filter(({ month }) => month === 202610 || month === 202612))
    const some = encoder.encode(records, only)
    expect(ids(some)).toEqual([spanId(1), spanId(3), spanId(4)])
    expect(some).toMatchObject({ rows: 3, spans: 5 })
    expect(ids(encoder.encode(records, new Map()))).toEqual([])
    const raws = encoder.raws(records, only)
    expect(raws.map(({ offset, index, projectId }) => [offset, index, projectId])).toEqual([1, 3, 4].map(index => [7, index, 'project-1']))
    for (const { raw } of raws) expect(Buffer.from(records[0]!.value).includes(Buffer.from(raw))).toBe(true)
  })

  test('a selected row equals the same row among all rows', () => {
    const chunk = generated(6)
    const encoder = createChunkEncoder()
    const all = mapping.rows(encoder.encode(chunk))
    const places = encoder.places(chunk)
    expect(places.map(({ spanId }) => spanId)).toEqual(all.map(row => row['span_id']))
    expect(places.map(({ offset, index }) => `spans.direct/3/${offset}#${index}`)).toEqual(all.map(row => row['blob_storage_file_path']))
    fc.assert(
      fc.property(fc.subarray([...places]), some => {
        const wanted = new Set(some)
        const records = chunk.filter(({ offset }) => some.some(place => place.offset === offset))
        expect(mapping.rows(encoder.encode(records, selectionOf(some)))).toEqual(all.filter((_, row) => wanted.has(places[row]!)))
      }),
      { numRuns: 8 },
    )
  })
})

test('encodes an empty list of records', () => {
  const chunk = createChunkEncoder().encode([])
  expect(chunk).toMatchObject({ rows: 0, spans: 0, decodedBytes: 0, rejected: [] })
  expect(mapping.rows(chunk).map(readable)).toEqual([])
})

// If a record states its units of work, readers use this number and do not measure the spans.
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { recountedWorkBytes } from '@svc-server/otlp/work'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import { createSpanGenerator } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { decodeRecord, giveBack } from '../src/span-view/decode-record.ts'
import { batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

const spanCount = 120
const generator = createSpanGenerator({ seed: 'said work', startTimeMs: receivedAtMs, spansPerRequest: spanCount })
const body = generator.next().protobuf
const { work } = scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36 })
const record = (fields: Partial<SpanBatch>) => recordOf(batchOf(body, { spanCount, ...fields }))

test('rows are the same whether or not a record states its work', () => {
  expect(body.length).toBeGreaterThan(recountedWorkBytes)
  const encoder = createChunkEncoder()
  const { hash, rows } = encoder.encode([record({})])
  expect(rows).toBe(spanCount)
  expect(encoder.encode([record({ work })])).toMatchObject({ hash, rows, rejected: [] })
})

test('a record that states more work than allowed loses the same spans as one that states none', () => {
  const encoder = createChunkEncoder({ maxWork: Math.floor(work / 2) })
  const unsaid = encoder.encode([record({})])
  expect(unsaid.rejected.length).toBeGreaterThan(10)
  expect(unsaid.rows).toBeGreaterThan(10)
  const said = encoder.encode([record({ work })])
  expect(said.hash).toBe(unsaid.hash)
  expect(said.rejected).toEqual(unsaid.rejected)
})

test('frees decompressed bytes of every encoding, and never memory that other data shares', () => {
  const decode = (payload: Uint8Array, fields: Partial<SpanBatch>) => {
    const decoded = decodeRecord(record({ payload, ...fields }).value, 1 << 30)
    if (!decoded.ok) throw new Error(decoded.message)
    giveBack(decoded.batch, decoded.source)
    return decoded
  }
  // The record states the right size, a wrong size, or no size (0). Without the right size, the inflater must join several pieces.
  for (const decodedBytes of [body.length, 10, 0]) {
    expect(decode(gzipSync(body), { contentEncoding: 'gzip', decodedBytes }).source.bytes).toHaveLength(0)
    expect(decode(zstdCompressSync(body), { contentEncoding: 'zstd', decodedBytes }).source.bytes).toHaveLength(0)
  }
  expect(Buffer.from(decode(body, {}).batch.payload)).toEqual(Buffer.from(body))
  const small = generator.next().protobuf.subarray(0, 0)
  const tiny = [gzipSync(small), gzipSync(small)].map(payload => decode(payload, { contentEncoding: 'gzip', decodedBytes: 0 }))
  for (const { source } of tiny) expect(source.bytes).toHaveLength(0)
  const neighbor = Buffer.from('a neighbor')
  decode(gzipSync(Buffer.from('')), { contentEncoding: 'gzip', decodedBytes: 0 })
  expect(neighbor.toString()).toBe('a neighbor')
})

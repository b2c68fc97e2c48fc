// The gateway and every reader must decode an accepted body to the same bytes. Readers must reject each body that the gateway rejects. The
// test uses all encodings and frame layouts.
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { inflateBodySync } from '@svc-server/otlp/inflate'
import type { ContentEncoding as BodyEncoding } from '@svc-server/otlp/media-type'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import type { ContentEncoding } from '@svc-server/schema/span-batch'
import { encodeTraceRequest } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { createTraceReader } from '../src/trace/index.ts'
import { aSpan, batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

const maxBytes = 1 << 20
const spans = 12
const request = Buffer.from(
  encodeTraceRequest({
    resourceSpans: [
      { scopeSpans: [{ spans: Array.from({ length: spans }, (_, i) => aSpan({ spanId: (i + 1).toString(16).padStart(16, '0') })) }] },
    ],
  }),
)

/** Creates a frame that decoders must skip (RFC 8878 §3.1.2). */
const skippable = (size: number, variant: number) => {
  const frame = Buffer.alloc(8 + size, 0x28)
  frame.writeUInt32LE(0x184d2a50 + variant, 0)
  frame.writeUInt32LE(size, 4)
  return frame
}

const pieces = {
  identity: (part: Buffer) => part,
  gzip: (part: Buffer) => gzipSync(part),
  zstd: (part: Buffer) => zstdCompressSync(part),
} satisfies Record<ContentEncoding, (part: Buffer) => Buffer>

const encoding = fc.constantFrom<ContentEncoding>('identity', 'gzip', 'zstd')
/** The test divides the request into frames at these positions. A repeated position creates an empty frame. */
const cuts = fc.oneof(
  fc.array(fc.nat(request.length), { maxLength: 6 }),
  fc.constant(Array.from({ length: 62 }, () => 0)),
  fc.constant(Array.from({ length: 70 }, () => 0)),
)
const between = fc.array(
  fc.oneof(
    fc.constant(Buffer.alloc(0)),
    fc.record({ size: fc.nat(40), variant: fc.nat(15) }).map(({ size, variant }) => skippable(size, variant)),
  ),
  { maxLength: 7 },
)
const flipAt = (at: number, bit: number) => (body: Buffer) => {
  const flipped = Buffer.from(body)
  if (body.length > 0) flipped[at % body.length]! ^= 1 << bit
  return flipped
}
const damage = fc.oneof(
  { weight: 3, arbitrary: fc.constant((body: Buffer) => body) },
  fc.nat(30).map(bytes => (body: Buffer) => body.subarray(0, Math.max(0, body.length - bytes))),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map(tail => (body: Buffer) => Buffer.concat([body, tail])),
  fc.nat(40).map(zeros => (body: Buffer) => Buffer.concat([body, Buffer.alloc(zeros)])),
  fc.record({ at: fc.nat(), bit: fc.nat(7) }).map(({ at, bit }) => flipAt(at, bit)),
)
const layout = fc.record({ encoding, cuts, between, damage, lie: fc.oneof(fc.constant(request.length), fc.nat(2 * request.length)) })

function bodyOf({ encoding, cuts, between, damage }: typeof layout extends fc.Arbitrary<infer T> ? T : never): Buffer {
  const ends = [...cuts].sort((a, b) => a - b)
  const frames = [...ends, request.length].map((end, i) => pieces[encoding](request.subarray(ends[i - 1] ?? 0, end)))
  const parts = encoding === 'zstd' ? frames.flatMap((frame, i) => [between[i] ?? Buffer.alloc(0), frame]) : frames
  return damage(Buffer.concat(parts))
}

function accepted(body: Uint8Array, encoding: BodyEncoding): { spans: number; bad: number } | null {
  try {
    const { spanCount, rejected } = scanTraceRequest(inflateBodySync(body, encoding, maxBytes), { receivedAtMs, maxAgeMonths: 36 })
    return { spans: spanCount, bad: rejected.length }
  } catch (error) {
    expect(error).toMatchObject({ code: 'body_undecodable' })
    return null
  }
}

const eachSpan = (count: number, reason: string) => Array.from({ length: count }, (_, index) => [index, reason])

test('encoder and trace reader find the same spans as the gateway in any layout of frames', () => {
  const encoder = createChunkEncoder({ maxDecodedBytes: maxBytes })
  const reader = createTraceReader({ maxDecodedBytes: maxBytes })
  const seen = { accepted: 0, refused: 0 }
  fc.assert(
    fc.property(layout, given => {
      const payload = bodyOf(given)
      const counted = accepted(payload, given.encoding)
      const record = recordOf(batchOf(payload, { contentEncoding: given.encoding, decodedBytes: given.lie, spanCount: spans }))
      const chunk = encoder.encode([record])
      const reading = reader.read(record.value)
      if (counted === null) {
        seen.refused++
        expect(chunk.rows).toBe(0)
        // The gateway rejects a malformed scope. If a malformed scope is nevertheless on the log, each span of the scope becomes a separate
        // dead letter.
        if (reading.ok) expect(chunk.rejected.map(({ index, reason }) => [index, reason])).toEqual(eachSpan(reading.spans, 'malformed'))
        else {
          expect(chunk.rejected).toMatchObject([{ index: null, reason: 'payload_undecodable' }])
          expect(reading.reason).toBe('payload_undecodable')
        }
        return
      }
      seen.accepted++
      expect(chunk.spans).toBe(counted.spans)
      expect(reading).toMatchObject({ ok: true, spans: counted.spans })
      if (counted.bad === 0) expect(chunk).toMatchObject({ rows: counted.spans, rejected: [] })
    }),
    // The example has a scope with a wrong length. Random requests contain a wrong scope only once in fifty runs.
    { numRuns: 150, examples: [[{ encoding: 'identity', cuts: [], between: [], damage: flipAt(3, 1), lie: request.length }]] },
  )
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(15)
})

test('reads every frame of a body with several frames', () => {
  const payload = Buffer.concat([request, request, request].map(part => zstdCompressSync(part)))
  const chunk = createChunkEncoder().encode([recordOf(batchOf(payload, { contentEncoding: 'zstd', decodedBytes: 3 * request.length }))])
  expect(chunk).toMatchObject({ spans: 3 * spans, rows: 3 * spans, rejected: [] })
})

test('the gateway reads deflate like other encodings, and no record contains it', () => {
  expect(accepted(deflateSync(request), 'deflate')).toEqual({ spans, bad: 0 })
})

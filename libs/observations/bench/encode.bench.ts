// What a span costs from the log's record to the column's byte, against what it costs to merely decode the
// same bytes with protobufjs (static code).
// node libs/observations/bench/encode.bench.ts [rounds]
import { cpus } from 'node:os'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogueSnapshot } from '@svc-server/pricing/snapshot'
import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { createSpanGenerator, referenceCodec } from '@svc-server/testkit'
import { bodyHash } from '../src/block/body-hash.ts'
import type { ChunkRecord } from '../src/block/chunk.ts'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'

const rounds = Number(process.argv[2] ?? 9)
const requests = 40
const spansPerRequest = 100
const at = Date.parse('2026-11-21T12:00:00Z')

const generator = createSpanGenerator({ seed: 'encode', projectCount: 24, startTimeMs: at, spansPerRequest })
const generated = Array.from({ length: requests }, () => generator.next())
const bodies = generated.map(request => request.protobuf)
const spans = requests * spansPerRequest
const wireBytes = bodies.reduce((sum, body) => sum + body.length, 0)

const recordsOf = (contentEncoding: SpanBatch['contentEncoding'], compress: (body: Uint8Array) => Uint8Array): ChunkRecord[] =>
  bodies.map((body, i) => ({
    topic: 'spans.direct',
    partition: 0,
    offset: i,
    timestampMs: at + 1000,
    value: encodeSpanBatch({
      projectId: generated[i]!.projectId,
      apiKey: 'pk-bench',
      sdkName: 'javascript',
      sdkVersion: '5.11.1',
      ingestionVersion: 4,
      receivedAtMs: at,
      ingestId: `ingest-${i}`,
      contentEncoding,
      decodedBytes: body.length,
      spanCount: spansPerRequest,
      // As a gateway says it.
      work: scanTraceRequest(body, { receivedAtMs: at, maxAgeMonths: 36 }).work,
      payload: compress(body),
      traceAttributes: null,
    }),
  }))

const identity = recordsOf('identity', body => body)
const gzip = recordsOf('gzip', body => gzipSync(body, { level: 6 }))
const zstd = recordsOf('zstd', body => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }))

// As production has it: a writer never encodes without one.
const catalogue = catalogueSnapshot({ models: shippedModels(), prompts: [] })
const encoder = createChunkEncoder({ catalogue })
const encode = (records: readonly ChunkRecord[]) => {
  const chunk = encoder.encode(records)
  encoder.recycle(chunk.body)
  return chunk
}
const sample = encoder.encode(identity)

const work: Readonly<Record<string, () => unknown>> = {
  'protobufjs decode': () => {
    for (const body of bodies) referenceCodec.decode(body)
  },
  'map and encode': () => encode(identity),
  'map and encode, zstd-1': () => encode(zstd),
  'map and encode, gzip-6': () => encode(gzip),
  'hash of the body, 10 times': () => Array.from({ length: 10 }, () => bodyHash(sample.body)),
}

/** CPU of this thread, ms. Interleaved rounds, so that a slow minute of the machine hits all of them. */
const samples = new Map<string, number[]>(Object.keys(work).map(name => [name, []]))
for (let round = -2; round < rounds; round++) {
  for (const [name, run] of Object.entries(work)) {
    const before = process.threadCpuUsage()
    run()
    const used = process.threadCpuUsage(before)
    if (round >= 0) samples.get(name)!.push((used.user + used.system) / 1000)
  }
}
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!
const msPer1000 = Object.fromEntries([...samples].map(([name, values]) => [name, Number(((median(values) / spans) * 1000).toFixed(2))]))

/**
 * CPU by family of columns, over the same records; what is left is the walk over the wire and the block
 * itself.
 */
function byFamily(): Record<string, number> {
  const nanos = new Map<string, bigint>()
  let measuring = false
  const profiled = createChunkEncoder({
    catalogue,
    profile: (family, write) => (row, span) => {
      const before = process.hrtime.bigint()
      write(row, span)
      if (measuring) nanos.set(family, (nanos.get(family) ?? 0n) + process.hrtime.bigint() - before)
    },
  })
  const run = () => profiled.recycle(profiled.encode(identity).body)
  for (let round = 0; round < 3; round++) run()
  measuring = true
  const before = process.hrtime.bigint()
  for (let round = 0; round < rounds; round++) run()
  const total = process.hrtime.bigint() - before
  const named = [...nanos.values()].reduce((sum, each) => sum + each, 0n)
  const share = (part: bigint) => Number(((Number(part) / Number(total)) * 100).toFixed(1))
  const families = [...nanos].map(([family, part]) => [family, share(part)] as const).sort((a, b) => b[1] - a[1])
  return Object.fromEntries([...families, ['attributes read from the wire, block, hash', share(total - named)]])
}

const bodyBytes = sample.body.reduce((sum, part) => sum + part.length, 0)
console.log(
  JSON.stringify(
    {
      machine: `${cpus()[0]?.model} x${cpus().length}, Node ${process.version}`,
      spans,
      wireBytesPerSpan: Math.round(wireBytes / spans),
      bodyBytesPerSpan: Math.round(bodyBytes / spans),
      parts: sample.body.length,
      cpuMsPer1000Spans: msPer1000,
      ratio: Number((msPer1000['map and encode']! / msPer1000['protobufjs decode']!).toFixed(2)),
      aim: { ratio: 1, atMost: 1.5 },
      percentByFamily: byFamily(),
    },
    null,
    2,
  ),
)

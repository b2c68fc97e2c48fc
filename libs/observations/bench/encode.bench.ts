// Measures the CPU time for converting log records to column bytes. As a baseline, the bench also measures how long protobufjs takes to
// decode the same requests. Run: node libs/observations/bench/encode.bench.ts [rounds]
import { cpus } from 'node:os'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { createSpanGenerator, recordedProtobufs, referenceCodec } from '@svc-server/testkit'
import { bodyHash } from '../src/block/body-hash.ts'
import type { ChunkRecord } from '../src/block/chunk.ts'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'

const rounds = Number(process.argv[2] ?? 30)
/** V8 fully compiles the rules of a dialect only after about ten thousand spans. */
const warmUps = 30
const requests = 40
const at = Date.parse('2026-11-21T12:00:00Z')
const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })

interface Body {
  readonly projectId: string
  readonly protobuf: Uint8Array
}

function generated(): Body[] {
  const generator = createSpanGenerator({ seed: 'encode', projectCount: 24, startTimeMs: at, spansPerRequest: 100 })
  return Array.from({ length: requests }, () => generator.next())
}

function recorded(): Body[] {
  const all = Buffer.concat(recordedProtobufs())
  return Array.from({ length: Math.ceil(requests / 4) }, (_, at) => ({ projectId: `project-${at}`, protobuf: all }))
}

/**
 * The kernel counts CPU time in ticks of some milliseconds. A tick is about 10 % of one round, so the bench adds the time of several
 * rounds.
 */
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function measure(bodies: readonly Body[]) {
  // Scans the request as the gateway does.
  const scans = bodies.map(({ protobuf }) => scanTraceRequest(protobuf, { receivedAtMs: at, maxAgeMonths: 36 }))
  const spans = scans.reduce((sum, { spanCount }) => sum + spanCount, 0)
  const recordsOf = (contentEncoding: SpanBatch['contentEncoding'], compress: (body: Uint8Array) => Uint8Array): ChunkRecord[] =>
    bodies.map(({ projectId, protobuf }, i) => ({
      topic: 'spans.direct',
      partition: 0,
      offset: i,
      timestampMs: at + 1000,
      value: encodeSpanBatch({
        projectId,
        apiKey: 'pk-bench',
        sdkName: 'javascript',
        sdkVersion: '5.11.1',
        ingestionVersion: 4,
        receivedAtMs: at,
        ingestId: `ingest-${i}`,
        contentEncoding,
        decodedBytes: protobuf.length,
        spanCount: scans[i]!.spanCount,
        work: scans[i]!.work,
        payload: compress(protobuf),
        traceAttributes: null,
      }),
    }))

  const identity = recordsOf('identity', body => body)
  const gzip = recordsOf('gzip', body => gzipSync(body, { level: 6 }))
  const zstd = recordsOf('zstd', body => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }))

  const encoder = createChunkEncoder({ catalog })
  const encode = (records: readonly ChunkRecord[]) => {
    const chunk = encoder.encode(records)
    encoder.recycle(chunk.body)
    return chunk
  }
  const sample = encoder.encode(identity)

  const work: Readonly<Record<string, () => unknown>> = {
    'protobufjs decode': () => {
      for (const { protobuf } of bodies) referenceCodec.decode(protobuf)
    },
    'map and encode': () => encode(identity),
    'map and encode, zstd-1': () => encode(zstd),
    'map and encode, gzip-6': () => encode(gzip),
    'hash of the body, 10 times': () => Array.from({ length: 10 }, () => bodyHash(sample.body)),
  }

  const samples = new Map<string, number[]>(Object.keys(work).map(name => [name, []]))
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, run] of Object.entries(work)) {
      const before = process.threadCpuUsage()
      run()
      const used = process.threadCpuUsage(before)
      samples.get(name)!.push((used.user + used.system) / 1000)
    }
  }
  const per1000 = (of: (values: readonly number[]) => number) =>
    Object.fromEntries([...samples].map(([name, values]) => [name, Number(((of(values) / spans) * 1000).toFixed(2))]))
  const warm = per1000(values => mean(values.slice(warmUps)))
  const cold = per1000(values => values[0]!)
  const ratioOf = (of: Record<string, number>) => Number((of['map and encode']! / of['protobufjs decode']!).toFixed(2))
  const bytesOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0)
  return {
    spans,
    wireBytesPerSpan: Math.round(bytesOf(bodies.map(({ protobuf }) => protobuf)) / spans),
    bodyBytesPerSpan: Math.round(bytesOf(sample.body) / spans),
    parts: sample.body.length,
    blockHash: sample.hash,
    cpuMsPer1000Spans: warm,
    ratio: ratioOf(warm),
    cold: { cpuMsPer1000Spans: cold, ratio: ratioOf(cold) },
    percentByFamily: byFamily(identity),
  }
}

function byFamily(records: readonly ChunkRecord[]): Record<string, number> {
  const nanos = new Map<string, bigint>()
  let measuring = false
  const profiled = createChunkEncoder({
    catalog,
    profile: (family, write) => (row, span) => {
      const before = process.hrtime.bigint()
      write(row, span)
      if (measuring) nanos.set(family, (nanos.get(family) ?? 0n) + process.hrtime.bigint() - before)
    },
  })
  const run = () => profiled.recycle(profiled.encode(records).body)
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

console.log(
  JSON.stringify(
    {
      machine: `${cpus()[0]?.model} x${cpus().length}, Node ${process.version}`,
      aim: { ratio: 0.9 },
      generated: measure(generated()),
      recorded: measure(recorded()),
    },
    null,
    2,
  ),
)

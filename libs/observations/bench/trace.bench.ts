// Measures how long the propagator takes to read staged spans. For comparison, the bench also measures how long the writer takes to map the
// same spans to rows, and how long protobufjs takes to decode them. Run: node libs/observations/bench/trace.bench.ts [rounds]
import { cpus } from 'node:os'
import { constants, zstdCompressSync } from 'node:zlib'
import { sliceByTrace } from '@svc-server/otlp/cut'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { createSpanGenerator, referenceCodec } from '@svc-server/testkit'
import type { ChunkRecord } from '../src/block/chunk.ts'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { createTraceReader, fillHash, fillOf, joinCandidates } from '../src/trace/index.ts'

const rounds = Number(process.argv[2] ?? 9)
const requests = 40
const spansPerRequest = 100
const at = Date.parse('2026-11-21T12:00:00Z')

const generator = createSpanGenerator({ seed: 'trace', projectCount: 24, startTimeMs: at, spansPerRequest })
const generated = Array.from({ length: requests }, () => generator.next())
const spans = requests * spansPerRequest

interface Staged {
  readonly projectId: string
  readonly payload: Uint8Array
  readonly spanCount: number
}

/** The gateway writes one staged record for each trace of a request. */
const slices = generated.flatMap(({ projectId, protobuf }): Staged[] => {
  const sliced = sliceByTrace(protobuf, scanTraceRequest(protobuf, { receivedAtMs: at, maxAgeMonths: 36 }))
  return [...sliced].map(([, slice]) => ({ projectId, ...slice }))
})
const whole = generated.map(({ projectId, protobuf }): Staged => ({ projectId, payload: protobuf, spanCount: spansPerRequest }))

const zstd1 = (body: Uint8Array) => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
const recordsOf = (staged: readonly Staged[], contentEncoding: SpanBatch['contentEncoding']): ChunkRecord[] =>
  staged.map(({ projectId, payload, spanCount }, offset) => ({
    topic: 'spans.staging',
    partition: 0,
    offset,
    timestampMs: at + 1000,
    value: encodeSpanBatch({
      projectId,
      apiKey: 'pk-bench',
      sdkName: 'javascript',
      sdkVersion: '5.3.0',
      ingestionVersion: null,
      receivedAtMs: at,
      ingestId: `ingest-${offset}`,
      contentEncoding,
      decodedBytes: payload.length,
      spanCount,
      payload: contentEncoding === 'zstd' ? zstd1(payload) : payload,
      traceAttributes: null,
    }),
  }))

const reader = createTraceReader()
const encoder = createChunkEncoder()
const read = (records: readonly ChunkRecord[]) => {
  for (const { value } of records) if (!reader.read(value).ok) throw new Error('A record of the bench is unreadable')
}
const encode = (records: readonly ChunkRecord[]) => encoder.recycle(encoder.encode(records).body)

const asTraces = recordsOf(slices, 'identity')
const asTracesZstd = recordsOf(slices, 'zstd')
const asRequests = recordsOf(whole, 'identity')
const readings = asTraces.map(({ value }) => reader.read(value)).flatMap(reading => (reading.ok ? [reading.candidates] : []))
const known = readings.map(({ winners, tags, rootSeen }) => ({ winners: winners.slice(1), tags, rootSeen }))

const work: Readonly<Record<string, () => unknown>> = {
  'protobufjs decode': () => {
    for (const { payload } of slices) referenceCodec.decode(payload)
  },
  'map and encode': () => encode(asTraces),
  'map and encode, zstd-1': () => encode(asTracesZstd),
  'read the trace': () => read(asTraces),
  'read the trace, zstd-1': () => read(asTracesZstd),
  'read the trace, whole requests': () => read(asRequests),
  'join, fill and hash, 10 times': () => {
    for (let i = 0; i < 10; i++) for (const [at, reading] of readings.entries()) fillHash(fillOf(joinCandidates(known[at]!, reading)))
  },
}

const samples = new Map<string, number[]>(Object.keys(work).map(name => [name, []]))
for (let round = -3; round < rounds; round++) {
  for (const [name, run] of Object.entries(work)) {
    const before = process.threadCpuUsage()
    run()
    const used = process.threadCpuUsage(before)
    if (round >= 0) samples.get(name)!.push((used.user + used.system) / 1000)
  }
}
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!
const msPer1000 = Object.fromEntries([...samples].map(([name, values]) => [name, Number(((median(values) / spans) * 1000).toFixed(2))]))
const ratio = (a: string, b: string) => Number((msPer1000[a]! / msPer1000[b]!).toFixed(2))

console.log(
  JSON.stringify(
    {
      machine: `${cpus()[0]?.model} x${cpus().length}, Node ${process.version}`,
      spans,
      records: slices.length,
      bytesPerSpan: Math.round(slices.reduce((sum, { payload }) => sum + payload.length, 0) / spans),
      cpuMsPer1000Spans: msPer1000,
      ratios: {
        'to map and encode': ratio('read the trace', 'map and encode'),
        'to map and encode, zstd-1': ratio('read the trace, zstd-1', 'map and encode, zstd-1'),
        'to protobufjs decode': ratio('read the trace', 'protobufjs decode'),
      },
      aim: { 'to map and encode': 0.35 },
    },
    null,
    2,
  ),
)

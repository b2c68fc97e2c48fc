// Creates the log for the propagator's bench. The first section of spans warms up the threads. The bench measures the second section.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { NewRecord } from '@svc-server/log'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { sliceByTrace } from '@svc-server/otlp/cut'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { createSpanGenerator, type GeneratedRequest } from '@svc-server/testkit'

const spansPerRequest = 100

function stagedRecords({ protobuf, projectId }: GeneratedRequest, receivedAtMs: number): NewRecord[] {
  const scan = scanTraceRequest(protobuf, { receivedAtMs, maxAgeMonths: 96 })
  return [...sliceByTrace(protobuf, scan)].map(([traceId, { payload, spanCount }]) => ({
    key: Buffer.from(`${projectId}/${traceId}`),
    value: encodeSpanBatch({
      projectId,
      apiKey: 'pk-svc-bench',
      sdkName: 'python',
      sdkVersion: '3.0.0',
      ingestionVersion: 3,
      receivedAtMs,
      ingestId: traceId,
      contentEncoding: 'zstd',
      decodedBytes: payload.length,
      spanCount,
      payload: zstdCompressSync(payload),
      traceAttributes: null,
    }),
  }))
}

const edgesFile = 'edges.json'

interface Stretch {
  readonly seed: string
  readonly spans: number
  /** The time of the first trace, and the number of traces per second. */
  readonly fromMs: number
  readonly rate: number
}

export async function stageSpans(
  directory: string,
  topics: Parameters<typeof openEmbeddedLog>[0]['topics'],
  [warm, measured]: readonly [Stretch, Stretch],
): Promise<void> {
  let nowMs = warm.fromMs
  const log = await openEmbeddedLog({ directory, topics, clock: () => nowMs })
  async function stage({ seed, spans, fromMs, rate }: Stretch): Promise<void> {
    const generator = createSpanGenerator({ seed, projectCount: 4, startTimeMs: fromMs, spansPerRequest })
    for (let sent = 0; sent < spans; sent += spansPerRequest) {
      nowMs = Math.round(fromMs + (sent / rate) * 1000)
      await log.append(topicNames.staging, stagedRecords(generator.next(), nowMs))
    }
  }
  await stage(warm)
  const { partitions } = (await log.describe()).find(({ spec }) => spec.name === topicNames.staging)!
  await stage(measured)
  await log.close()
  writeFileSync(join(directory, edgesFile), JSON.stringify(partitions.map(({ highWatermark }) => highWatermark)))
}

export const edgesIn = (directory: string): readonly number[] =>
  JSON.parse(readFileSync(join(directory, edgesFile), 'utf8')) as readonly number[]

/** Returns a log that hides the second section of spans until `open` is called. `edges` has the first hidden offset of each partition. */
export function gated(log: EmbeddedLog, edges: readonly number[]): { readonly log: EmbeddedLog; open(): void } {
  let isOpen = false
  const isGated = (topic: string) => !isOpen && topic === topicNames.staging
  const read: EmbeddedLog['read'] = async (topic, partition, from, ...more) => {
    const edge = edges[partition]!
    if (isGated(topic) && from >= edge) return { topic, partition, records: [], nextOffset: from, highWatermark: edge }
    const batch = await log.read(topic, partition, from, ...more)
    if (!isGated(topic)) return batch
    const { release: _, records, nextOffset, ...rest } = batch
    const before = records.filter(({ offset }) => offset < edge)
    return { ...rest, records: before, nextOffset: Math.min(nextOffset, edge), highWatermark: edge }
  }
  const own: EmbeddedLog['own'] = options =>
    log.own({
      ...options,
      onAssigned: async partitions =>
        options.onAssigned?.(partitions.map(one => (isGated(one.topic) ? { ...one, highWatermark: edges[one.partition]! } : one))),
    })
  return { log: { ...log, read, own }, open: () => void (isOpen = true) }
}

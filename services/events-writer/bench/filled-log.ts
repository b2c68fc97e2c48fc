// The log that the drain bench drains: opened, filled with spans, and held back until the writer is warm.
import { gzipSync } from 'node:zlib'
import { startKafkaCluster } from '@svc-server/dev-servers/kafka'
import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { openKafkaLog } from '@svc-server/log/kafka'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { createSpanGenerator, processCpuMs, temporaryDirectory } from '@svc-server/testkit'

const MiB = 1024 * 1024
const spansPerRequest = 100

export interface OpenLog {
  readonly log: EventLog
  /** CPU of the log's own processes, ms; the embedded log has none. */
  cpuMs(): number
  close(): Promise<void>
}

/** A log of its own each time: a group that has read everything has nothing left to drain. */
export async function openLog(kind: string): Promise<OpenLog> {
  const topics = topicSpecs({ embedded: kind === 'embedded', enabledReaders: [groupNames.writer] })
  if (kind === 'embedded') {
    const directory = await temporaryDirectory('svc-bench-log-')
    const log = await openEmbeddedLog({ directory: directory.path, topics })
    return { log, cpuMs: () => 0, close: () => log.close().then(() => directory.remove()) }
  }
  // As much in one fetch as the embedded log gives.
  const kafka = await startKafkaCluster({ own: true, properties: { 'fetch.max.bytes': String(1024 * MiB) } })
  const log = await openKafkaLog({ brokers: kafka.brokers, topics })
  return {
    log,
    cpuMs: () => kafka.pids().reduce((sum, pid) => sum + processCpuMs(pid), 0),
    close: () => log.close().then(() => kafka.stop()),
  }
}

/** Fills one partition of spans.direct; returns the decoded bytes. */
export async function fill(log: EventLog, partition: number, count: number, startTimeMs: number): Promise<number> {
  const generator = createSpanGenerator({ seed: `drain-${partition}`, projectCount: 24, startTimeMs, spansPerRequest })
  let decoded = 0
  for (let made = 0; made < count; made += spansPerRequest) {
    const { projectId, protobuf } = generator.next()
    decoded += protobuf.length
    const value = encodeSpanBatch({
      projectId,
      apiKey: 'pk-bench',
      sdkName: 'javascript',
      sdkVersion: '5.11.1',
      ingestionVersion: 4,
      receivedAtMs: Date.now(),
      ingestId: `ingest-${made}`,
      contentEncoding: 'gzip',
      decodedBytes: protobuf.length,
      spanCount: spansPerRequest,
      payload: gzipSync(protobuf),
      traceAttributes: null,
    })
    await log.append(topicNames.direct, [{ key: null, value, partition }])
  }
  return decoded
}

/** The log, one partition of which is handed over only when it is opened. */
export function gated(log: EventLog, partition: number): { log: EventLog; open: () => void } {
  const gate = Promise.withResolvers<void>()
  return {
    open: gate.resolve,
    log: {
      ...log,
      consume: options =>
        log.consume({
          ...options,
          onBatch: async (batch, context) => {
            if (batch.partition === partition) await gate.promise
            return options.onBatch(batch, context)
          },
        }),
    },
  }
}

// Creates the log of the drain bench and fills it with spans. `gated` holds back the spans of one partition until the writer is warm.
import { gzipSync } from 'node:zlib'
import { startKafkaCluster } from '@svc-server/dev-servers/kafka'
import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { openKafkaLog } from '@svc-server/log/kafka'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { processCpuMs, temporaryDirectory } from '@svc-server/testkit'
import type { Bodies } from './bodies.ts'

export interface OpenLog {
  readonly log: EventLog
  /** CPU time of the log's own processes, in ms; 0 for the embedded log. */
  cpuMs(): number
  close(): Promise<void>
}

/** Opens a new log. On an earlier log, a writer would find no records, because the writers' group has already read them. */
export async function openLog(kind: string): Promise<OpenLog> {
  const topics = topicSpecs({ embedded: kind === 'embedded', enabledReaders: [groupNames.writer] })
  if (kind === 'embedded') {
    const directory = await temporaryDirectory('svc-bench-log-')
    const log = await openEmbeddedLog({ directory: directory.path, topics })
    return { log, cpuMs: () => 0, close: () => log.close().then(() => directory.remove()) }
  }
  const kafka = await startKafkaCluster({ own: true })
  const log = await openKafkaLog({ brokers: kafka.brokers, topics })
  return {
    log,
    cpuMs: () => kafka.pids().reduce((sum, pid) => sum + processCpuMs(pid), 0),
    close: () => log.close().then(() => kafka.stop()),
  }
}

export async function fill(
  log: EventLog,
  partition: number,
  count: number,
  bodies: Bodies,
): Promise<{ spans: number; decodedBytes: number }> {
  const receivedAtMs = Date.now()
  let spans = 0
  let decodedBytes = 0
  while (spans < count) {
    const { projectId, protobuf } = bodies.next()
    const { spanCount, rowBytes, work } = scanTraceRequest(protobuf, { receivedAtMs, maxAgeMonths: 36 })
    const value = encodeSpanBatch({
      projectId,
      apiKey: 'pk-bench',
      sdkName: 'javascript',
      sdkVersion: '5.11.1',
      ingestionVersion: 4,
      receivedAtMs,
      ingestId: `ingest-${spans}`,
      contentEncoding: 'gzip',
      decodedBytes: protobuf.length,
      spanCount,
      rowBytes,
      work,
      payload: gzipSync(protobuf),
      traceAttributes: null,
    })
    await log.append(topicNames.direct, [{ key: null, value, partition }])
    spans += spanCount
    decodedBytes += protobuf.length
  }
  return { spans, decodedBytes }
}

const askAgainMs = 250

/** Returns the log with a gate: the log delivers the records of `partition` only after a call of `open`. */
export function gated(log: EventLog, partition: number): { log: EventLog; open: () => void } {
  let isOpen = false
  return {
    open: () => {
      isOpen = true
    },
    log: {
      ...log,
      consume: options =>
        log.consume({
          ...options,
          async onBatch(batch, context) {
            if (batch.partition !== partition || isOpen) return options.onBatch(batch, context)
            batch.release?.()
            return { kind: 'pause', afterMs: askAgainMs }
          },
        }),
    },
  }
}

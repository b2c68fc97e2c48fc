import type { EventLog, TopicSpec } from '@svc-server/log'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames } from '@svc-server/modes/names'
import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { encodeTraceRequest, temporaryDirectory } from '@svc-server/testkit'

export interface TestLog {
  readonly log: EmbeddedLog
  close(): Promise<void>
}

export async function openTestLog(change: (spec: TopicSpec) => TopicSpec = spec => spec, clock?: () => number): Promise<TestLog> {
  const directory = await temporaryDirectory('svc-conservation-log-')
  const topics = topicSpecs({ embedded: true, enabledReaders: [groupNames.writer, groupNames.ledger] })
  const log = await openEmbeddedLog({
    directory: directory.path,
    topics: topics.map(change),
    // The interval is an hour, so that retention and compaction run only when a test starts them.
    maintenanceIntervalMs: 3_600_000,
    ...(clock ? { clock } : {}),
  })
  return {
    log,
    async close() {
      await log.close()
      await directory.remove()
    },
  }
}

export interface HandSpan {
  readonly traceId: string
  readonly spanId: string
  readonly startNs?: bigint
  readonly endNs?: bigint
}

const traceIdOf = (number: number): string => (number + 1).toString(16).padStart(32, 'a')
const spanIdOf = (number: number): string => (number + 1).toString(16).padStart(16, 'b')

const requestOf = (spans: readonly HandSpan[]): Uint8Array =>
  encodeTraceRequest({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spans.map(({ traceId, spanId, startNs = 0n, endNs = 0n }) => ({
              traceId,
              spanId,
              name: 'by hand',
              startTimeUnixNano: String(startNs),
              endTimeUnixNano: String(endNs),
            })),
          },
        ],
      },
    ],
  })

export function batchOf(spans: readonly HandSpan[], more: Partial<SpanBatch> = {}): Buffer {
  const payload = requestOf(spans)
  return encodeSpanBatch({
    projectId: 'p',
    apiKey: 'pk',
    sdkName: '',
    sdkVersion: '',
    ingestionVersion: 4,
    receivedAtMs: Date.UTC(2026, 10, 21),
    ingestId: 'i',
    contentEncoding: 'identity',
    decodedBytes: payload.byteLength,
    spanCount: spans.length,
    payload,
    traceAttributes: null,
    ...more,
  })
}

export const spansOf = (count: number, from = 0): HandSpan[] =>
  Array.from({ length: count }, (_, i) => ({
    traceId: traceIdOf(Math.floor((from + i) / 3)),
    spanId: spanIdOf(from + i),
    startNs: BigInt(Date.UTC(2026, 10, 21)) * 1_000_000n + BigInt(from + i) * 1_000n,
  }))

/** Moves a group's offset to any position, as an operator or a defect could move it. */
export async function commitTo(log: EventLog, group: string, topic: string, partition: number, offset: number): Promise<void> {
  const done = Promise.withResolvers<void>()
  const consumer = await log.consume({
    ...{ group, topics: [topic], minBytes: 1, maxWaitMs: 5, maxBatchBytes: 1 << 20, concurrency: 1 },
    async onBatch(batch, context) {
      if (batch.partition !== partition) return { kind: 'pause', afterMs: 60_000 }
      await context.commit(offset, '')
      done.resolve()
      return { kind: 'pause', afterMs: 60_000 }
    },
    onFatal: done.reject,
  })
  await done.promise
  await consumer.stop()
}

// Finds the spans and the events of a trace that are still on the log. They wait there for the writer, for the merger, or for the end of a
// window.
import { parseJson } from '@svc-server/json'
import type { CommittedOffset, EventLog, LogRecord, TopicDescription } from '@svc-server/log'
import { partitionOfKey } from '@svc-server/log/partitioner'
import { readRange } from '@svc-server/log/read-range'
import { type GroupName, groupNames, type TopicName, topicNames } from '@svc-server/modes/names'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { traceKeyOf } from '@svc-server/schema/trace-key'
import { windowEnd } from '@svc-server/stream/window-end'
import type { Budget } from './budget.ts'
import { spanBatchOf, spansOfTrace, traceIdBytes } from './spans-of-trace.ts'

export interface WaitingRecord {
  readonly topic: TopicName
  readonly partition: number
  readonly offset: number
  /** Number of the trace's spans in the record. If the record is an event of the legacy API, the number is 1. */
  readonly spans: number
  /** In milliseconds since the epoch. */
  readonly appendedMs: number
  /** Time at which the window of a staged record will be published. */
  readonly untilMs?: number
}

export interface WindowTimes {
  readonly windowMs: number
  /** On an idle partition, the propagator closes a window this many milliseconds after the window's end. */
  readonly graceMs: number
}

export interface WaitingOptions extends WindowTimes {
  readonly log: Pick<EventLog, 'read' | 'describe' | 'committed'>
  readonly projectId: string
  readonly traceId: string
  readonly budget: Budget
}

const batchBytes = 4 << 20
const { direct, overflow, staging, filled, ingestion } = topicNames

type Look = (record: LogRecord) => Promise<number> | number

/**
 * Returns the first unpublished offset. Usually, this is the propagator's committed offset. During repairs, the committed offset is lower,
 * and the metadata of the commit contains the first unpublished offset.
 */
function publishedTo(committed: CommittedOffset | undefined): number | undefined {
  if (committed === undefined) return undefined
  try {
    const { published } = parseJson(committed.metadata) as { readonly published?: unknown }
    return typeof published === 'number' ? Math.max(published, committed.offset) : committed.offset
  } catch {
    return committed.offset
  }
}

/** Yields the records topic by topic, in the order of the log. */
export async function* waitingRecords(options: WaitingOptions): AsyncGenerator<WaitingRecord> {
  const { log, projectId, traceId, budget, windowMs, graceMs } = options
  const key = Buffer.from(traceKeyOf({ projectId, traceId }))
  const id = traceIdBytes(traceId)
  const described = new Map((await log.describe()).map(topic => [topic.spec.name, topic]))

  async function* look(topic: TopicName, group: GroupName, spansOf: Look, only?: number): AsyncGenerator<WaitingRecord> {
    const { partitions } = described.get(topic) ?? ({ partitions: [] } as Pick<TopicDescription, 'partitions'>)
    const committed = await log.committed(group, topic)
    for (const { partition, lowWatermark, highWatermark } of partitions) {
      if (only !== undefined && partition !== only) continue
      const from = Math.max(lowWatermark, publishedTo(committed.get(partition)) ?? lowWatermark)
      for await (const { records } of readRange(log, { topic, partition, from, until: highWatermark }, batchBytes)) {
        if (!budget.hasMore) return budget.giveUp()
        for (const record of records) {
          budget.spend(record.value?.length ?? 0)
          const spans = await spansOf(record)
          if (spans === 0) continue
          const { offset, timestampMs: appendedMs } = record
          const untilMs = windowEnd(appendedMs, { windowMs, partition, partitions: partitions.length }) + graceMs
          yield { topic, partition, offset, spans, appendedMs, ...(topic === staging && { untilMs }) }
        }
      }
    }
  }

  /** Counts the spans of records whose key names the trace. */
  const byKey: Look = ({ key: own, value }) =>
    own !== null && value !== null && key.equals(own) ? (spanBatchOf(value)?.spanCount ?? 1) : 0
  const byContent: Look = ({ value }) => {
    const batch = value === null || id === null ? null : spanBatchOf(value)
    if (batch === null || batch.projectId !== projectId) return 0
    budget.spend(batch.decodedBytes)
    return spansOfTrace(batch, id!)
  }
  const written = Buffer.from(JSON.stringify(traceId))
  const ofEvent: Look = ({ value }) => {
    const event = value === null ? null : eventOf(value)
    if (event === null || event.projectId !== projectId) return 0
    const isOfTrace = (event.entityType === 'trace' && event.entityId === traceId) || Buffer.from(event.body).includes(written)
    return isOfTrace ? 1 : 0
  }

  yield* look(direct, groupNames.writer, byContent)
  yield* look(overflow, groupNames.writer, byContent)
  const partitions = described.get(staging)?.partitions.length ?? 0
  // A record on a partition of spans.staging is published to the partition of spans.filled with the same number.
  if (partitions > 0) {
    const own = partitionOfKey(key, partitions)
    yield* look(staging, groupNames.propagator, byKey, own)
    yield* look(filled, groupNames.writer, byKey, own)
  }
  yield* look(ingestion, groupNames.merger, ofEvent)
}

function eventOf(value: Uint8Array) {
  try {
    return decodeIngestionEvent(value)
  } catch {
    return null
  }
}

// The owner of one partition of spans: what they say about their traces goes, in one transaction with the offset, to who owns each trace.
import { AppError } from '@svc-server/errors'
import type { AssignedPartition, BatchOutcome, EventLog, NewRecord, OwnedPartition } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Metrics } from '@svc-server/service/metrics'
import type { mergerMetrics } from './metrics.ts'
import type { PartsReaders } from './reading/pool.ts'

export interface SpanPartitionDeps {
  readonly log: EventLog
  readonly readers: PartsReaders
  readonly metrics: Metrics<typeof mergerMetrics>
  readonly readBytes: number
}

export interface SpanPartition {
  work(owned: OwnedPartition): Promise<BatchOutcome>
}

export function createSpanPartition({ log, readers, metrics, readBytes }: SpanPartitionDeps, assigned: AssignedPartition): SpanPartition {
  const { topic, partition, lowWatermark } = assigned
  let committed = assigned.committed?.offset

  async function step(owned: OwnedPartition): Promise<boolean> {
    const found = owned.committed?.offset
    if (committed !== undefined && (found ?? -1) < committed) {
      throw new AppError(
        'log_unavailable',
        `${topic}/${partition} is said to be committed at ${found}, and was committed at ${committed} before.`,
      )
    }
    const position = found ?? lowWatermark
    const { records, nextOffset } = await log.read(topic, partition, position, readBytes)
    if (nextOffset <= position) return false
    const { parts, spans, unreadable } = await readers.read(records)
    await owned.commitWith(
      nextOffset,
      '',
      new Map<string, readonly NewRecord[]>(parts.length === 0 ? [] : [[topicNames.traceParts, parts]]),
    )
    committed = nextOffset
    metrics.spans.inc(spans)
    metrics.unreadableSpans.inc(unreadable)
    return true
  }

  return {
    async work(owned) {
      while (!owned.signal.aborted) if (!(await step(owned))) return { kind: 'done' }
      return { kind: 'pause', afterMs: 1000 }
    },
  }
}

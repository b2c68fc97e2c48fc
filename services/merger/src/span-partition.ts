// Processes one partition of spans: sends the trace attributes of each span to the owner of the span's trace. Skips records that are only
// for the events tables.
import type { AssignedPartition, BatchOutcome, EventLog, LogRecord, NewRecord, OwnedPartition } from '@svc-server/log'
import { isServed } from '@svc-server/modes/flows'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { isEntity } from '@svc-server/schema/entity'
import { modeOfSpanBatch } from '@svc-server/schema/span-batch'
import { isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { Metrics } from '@svc-server/service/metrics'
import type { mergerMetrics } from './metrics.ts'
import type { PartsOfSpans, PartsReaders, ServedSpans } from './reading/pool.ts'
import { refuseOlder } from './standing.ts'

export interface SpanPartitionDeps {
  readonly log: Pick<EventLog, 'read'>
  readonly readers: Pick<PartsReaders, 'read'>
  readonly metrics: Metrics<typeof mergerMetrics>
  readonly config: {
    /** This process's write mode, which applies to records without a write mode. */
    readonly writeMode: WriteMode
    readonly readBytes: number
    readonly passedRestMs: number
  }
  readonly onMode: (mode: WriteMode, records: number) => void
  readonly onProgress: (at: OwnedPartition) => void
}

export interface SpanPartition {
  work(owned: OwnedPartition): Promise<BatchOutcome>
}

const nothing: PartsOfSpans = { parts: [], spans: 0, unreadable: 0, cut: 0 }

interface Step {
  readonly hasServed: boolean
  readonly isEnd: boolean
}

export function createSpanPartition(
  { log, readers, metrics, config, onMode, onProgress }: SpanPartitionDeps,
  { topic, partition, lowWatermark, committed: assigned }: AssignedPartition,
): SpanPartition {
  const servedModes: ReadonlySet<WriteMode> = new Set(writeModes.filter(mode => isServed(topic, groupNames.merger, mode)))
  let committed = assigned?.offset

  /**
   * Decodes only the write mode of the record, because this function runs for every record. Returns null for an unreadable record. The
   * writer turns such a record into a dead letter.
   */
  function modeOf(value: Uint8Array): WriteMode | null {
    try {
      return modeOfSpanBatch(value) ?? config.writeMode
    } catch (error) {
      if (error instanceof UndecodableRecord) return null
      throw error
    }
  }

  function sorted(records: readonly LogRecord[]) {
    const served: ServedSpans[] = []
    let unreadable = 0
    for (const record of records) {
      const { value } = record
      // Staged entities and run items are not spans.
      if (value === null || (topic === topicNames.staging && (isEntity(value) || isStagedRunItem(value)))) continue
      const writeMode = modeOf(value)
      if (writeMode === null) unreadable++
      else if (servedModes.has(writeMode)) served.push({ record, writeMode })
    }
    return { served, unreadable }
  }

  async function step(owned: OwnedPartition): Promise<Step> {
    const found = owned.committed
    refuseOlder(owned, committed, found)
    const position = found?.offset ?? lowWatermark
    const { records, nextOffset, highWatermark } = await log.read(topic, partition, position, config.readBytes)
    if (nextOffset <= position) return { hasServed: false, isEnd: true }
    const { served, unreadable } = sorted(records)
    const read = served.length === 0 ? nothing : await readers.read(served)
    const { parts } = read
    await owned.commitWith(
      nextOffset,
      '',
      new Map<string, readonly NewRecord[]>(parts.length === 0 ? [] : [[topicNames.traceParts, parts]]),
    )
    committed = nextOffset
    onProgress(owned)
    metrics.spans.inc(read.spans)
    metrics.unreadableSpans.inc(unreadable + read.unreadable)
    metrics.cut.inc(read.cut)
    for (const { writeMode } of served) onMode(writeMode, 1)
    return { hasServed: served.length > 0, isEnd: nextOffset >= highWatermark }
  }

  return {
    async work(owned) {
      let hasServed = false
      while (!owned.signal.aborted) {
        const done = await step(owned)
        hasServed ||= done.hasServed
        // If this call has only skipped records, the owner pauses before the next call. The pause makes calls rare and batches large,
        // which saves reads and commits.
        if (done.isEnd) return hasServed ? { kind: 'done' } : { kind: 'pause', afterMs: config.passedRestMs }
      }
      return { kind: 'pause', afterMs: config.passedRestMs }
    },
  }
}

// Computes the age of the oldest unread record. Kafka reports only the offset of this record. The lag clock therefore fetches the record,
// and caches its append time.
import type { FetchedBatch, LogRecord } from '../port.ts'
import type { Reader } from './reader.ts'
import type { KafkaTopic } from './topics.ts'

export interface LagClock {
  seen(batch: FetchedBatch): void
  /** Returns the age of the first record at or after `offset`, in milliseconds. Returns 0 if there is no such record. */
  ageOf(topic: KafkaTopic, partition: number, offset: number): Promise<number>
}

export function createLagClock(reader: Reader, clock: () => number): LagClock {
  const known = new Map<string, { readonly from: number; readonly to: number; readonly timestampMs: number }>()
  const keyOf = (topic: string, partition: number): string => `${topic}/${partition}`
  const ageAt = (timestampMs: number): number => Math.max(0, clock() - timestampMs)

  /**
   * Every writer calls this function for every partition, so a call must be cheap. The first fetch therefore returns only one batch. If
   * this batch has only markers and aborted records, the search continues after the batch.
   */
  async function firstFrom(topic: KafkaTopic, partition: number, offset: number): Promise<LogRecord | undefined> {
    let from = offset
    for (let fetchBytes: number | undefined = 1; ; fetchBytes = undefined) {
      const { records, nextOffset, highWatermark } = await reader.read(topic, partition, from, 1, fetchBytes)
      if (records[0] || nextOffset <= from || nextOffset >= highWatermark) return records[0]
      from = nextOffset
    }
  }

  return {
    seen({ topic, partition, records, nextOffset }) {
      const [first] = records
      if (first) known.set(keyOf(topic, partition), { from: first.offset, to: nextOffset, timestampMs: first.timestampMs })
    },
    async ageOf(topic, partition, offset) {
      const key = keyOf(topic.spec.name, partition)
      const found = known.get(key)
      if (found && offset >= found.from && offset < found.to) return ageAt(found.timestampMs)
      const first = await firstFrom(topic, partition, offset)
      if (!first) return 0
      known.set(key, { from: offset, to: first.offset + 1, timestampMs: first.timestampMs })
      return ageAt(first.timestampMs)
    },
  }
}

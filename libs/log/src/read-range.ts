// Reads a range that is known to exist. Slow storage, a quota or a new leader can make reads return nothing for a while. Treating an
// empty read as the end of the range would lose records.
import { AppError } from '@svc-server/errors'
import type { EventLog, FetchedBatch } from './port.ts'

export interface OffsetRange {
  readonly topic: string
  readonly partition: number
  readonly from: number
  /** Exclusive. */
  readonly until: number
}

type Readable = Pick<EventLog, 'read'>

/**
 * Reads a batch that begins at `from`. The batch can contain records after the range. An empty batch means that the range has no more
 * records. Rejects like `read`. Also rejects with `log_unavailable` if the read does not advance beyond `from`, although the range or the
 * log ends after `from`.
 */
export async function readWithin(log: Readable, { topic, partition, from, until }: OffsetRange, maxBytes: number): Promise<FetchedBatch> {
  const batch = await log.read(topic, partition, from, maxBytes)
  const end = Math.max(until, batch.highWatermark)
  if (batch.nextOffset > from || from >= end) return batch
  throw new AppError('log_unavailable', `${topic}/${partition} does not show its records from ${from} to ${end - 1} at the moment.`, {
    topic,
    partition,
    offset: from,
    end,
  })
}

/** Reads a range batch by batch, without records after the end of the range. Rejects like `readWithin`. */
export async function* readRange(log: Readable, range: OffsetRange, maxBytes: number): AsyncGenerator<FetchedBatch> {
  for (let from = range.from; from < range.until; ) {
    const batch = await readWithin(log, { ...range, from }, maxBytes)
    from = Math.min(batch.nextOffset, range.until)
    if (batch.nextOffset <= range.until) yield batch
    else yield { ...batch, records: batch.records.filter(({ offset }) => offset < range.until), nextOffset: range.until }
  }
}

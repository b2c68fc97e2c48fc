// Reading a range that is known to be there: below a commit, a window's end, a watermark that was seen. An
// answer without progress is then never the end of anything. Slow storage, a quota, a new leader: all of them
// answer nothing for a while, and to take that for the end loses records.
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
 * The next batch of a range; it may reach beyond the range, and is empty only at its end or in holes. Rejects
 * as `read` does, and with `log_unavailable` where the log shows nothing at `from`, below `until` or below
 * the end that it names itself.
 */
export async function readWithin(log: Readable, { topic, partition, from, until }: OffsetRange, maxBytes: number): Promise<FetchedBatch> {
  const batch = await log.read(topic, partition, from, maxBytes)
  const end = Math.max(until, batch.highWatermark)
  if (batch.nextOffset > from || from >= end) return batch
  throw new AppError('log_unavailable', `${topic}/${partition} does not show its records from ${from} to ${end - 1} just now.`, {
    topic,
    partition,
    offset: from,
    end,
  })
}

/** A range batch by batch; the last one is cut at its end. Rejects as `readWithin` does. */
export async function* readRange(log: Readable, range: OffsetRange, maxBytes: number): AsyncGenerator<FetchedBatch> {
  for (let from = range.from; from < range.until; ) {
    const batch = await readWithin(log, { ...range, from }, maxBytes)
    from = Math.min(batch.nextOffset, range.until)
    if (batch.nextOffset <= range.until) yield batch
    else yield { ...batch, records: batch.records.filter(({ offset }) => offset < range.until), nextOffset: range.until }
  }
}

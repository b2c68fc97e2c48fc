// Reads dead letters from the topic. The topic can have gigabytes, and a command can run in the server's process, so only one batch is in
// memory.
import type { EventLog } from '@svc-server/log'
import { readRange } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import { type DeadLetter, readDeadLetter } from '@svc-server/schema/dead-letter'

type ReadableLog = Pick<EventLog, 'describe' | 'read'>

export interface FoundDeadLetter {
  readonly partition: number
  readonly offset: number
  readonly key: Uint8Array | null
  readonly value: Uint8Array
  /** Null if this release cannot decode the dead letter. */
  readonly deadLetter: DeadLetter | null
}

const topic = topicNames.deadLetter
const batchBytes = 8 << 20
/**
 * Number of dead letters whose ids a reader remembers, to skip a dead letter that occurs again. A limited number suffices, because a
 * retried chunk soon writes its dead letters again.
 */
const rememberedIds = 200_000

export interface DeadLetterRange {
  readonly partition: number
  readonly from: number
  readonly until: number
}

/** Returns the range of offsets of each partition. */
export async function deadLetterRanges(log: ReadableLog): Promise<readonly DeadLetterRange[]> {
  const described = (await log.describe()).find(({ spec }) => spec.name === topic)
  return (described?.partitions ?? []).map(({ partition, lowWatermark: from, highWatermark: until }) => ({ partition, from, until }))
}

/** Yields batches in topic order. The topic can contain a dead letter several times, and repetitions are not skipped. */
export async function* deadLetterBatches(log: ReadableLog, range: DeadLetterRange): AsyncGenerator<readonly FoundDeadLetter[]> {
  for await (const { records } of readRange(log, { topic, ...range }, batchBytes)) {
    yield records.flatMap(({ partition, offset, key, value }) =>
      value === null ? [] : [{ partition, offset, key, value, deadLetter: readDeadLetter(value) }],
    )
  }
}

/** Yields every dead letter once. An unreadable dead letter has no id, so repetitions of it are not skipped. */
export async function* deadLetters(log: ReadableLog): AsyncGenerator<FoundDeadLetter> {
  const seen = new Set<string>()
  for (const range of await deadLetterRanges(log)) {
    for await (const batch of deadLetterBatches(log, range)) {
      for (const found of batch) {
        const id = found.deadLetter?.id
        if (id !== undefined) {
          if (seen.has(id)) continue
          seen.add(id)
          if (seen.size > rememberedIds) seen.delete(seen.values().next().value!)
        }
        yield found
      }
    }
  }
}

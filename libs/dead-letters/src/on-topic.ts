// The dead letters as they lie on their topic. It may have gigabytes, and a command may run inside the
// instance: they go by one batch at a time.
import type { EventLog } from '@svc-server/log'
import { readRange } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import { type DeadLetter, readDeadLetter } from '@svc-server/schema/dead-letter'

type ReadableLog = Pick<EventLog, 'describe' | 'read'>

export interface FoundLetter {
  readonly partition: number
  readonly offset: number
  readonly key: Uint8Array | null
  readonly value: Uint8Array
  /** Null: this release cannot read it. */
  readonly letter: DeadLetter | null
}

const topic = topicNames.deadLetter
const batchBytes = 8 << 20
/** A chunk that was written again has written its letters again, soon after: so many ids are remembered. */
const rememberedIds = 200_000

export interface LetterRange {
  readonly partition: number
  readonly from: number
  readonly until: number
}

/** What is there now, by partition. */
export async function letterRanges(log: ReadableLog): Promise<readonly LetterRange[]> {
  const described = (await log.describe()).find(({ spec }) => spec.name === topic)
  return (described?.partitions ?? []).map(({ partition, lowWatermark: from, highWatermark: until }) => ({ partition, from, until }))
}

/** The letters of a partition in batches, as they lie there: a letter may be there twice. */
export async function* letterBatches(log: ReadableLog, range: LetterRange): AsyncGenerator<readonly FoundLetter[]> {
  for await (const { records } of readRange(log, { topic, ...range }, batchBytes)) {
    yield records.flatMap(({ partition, offset, key, value }) =>
      value === null ? [] : [{ partition, offset, key, value, letter: readDeadLetter(value) }],
    )
  }
}

/** Every letter once, each with its id; those that cannot be read have none. */
export async function* letters(log: ReadableLog): AsyncGenerator<FoundLetter> {
  const seen = new Set<string>()
  for (const range of await letterRanges(log)) {
    for await (const batch of letterBatches(log, range)) {
      for (const found of batch) {
        const id = found.letter?.id
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

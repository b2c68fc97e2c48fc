// The dead letters by the record they came from, each counted once: a chunk that was written again has written its letters again.
import type { EventLog } from '@svc-server/log'
import { decodeDeadLetter, topicNames } from '@svc-server/schema'
import { recordsOf } from '../spans-on-log.ts'

export interface LettersOfRecord {
  /** The record as a whole is a dead letter. */
  whole: boolean
  /** Numbers of its spans that are. */
  readonly spans: Set<number>
}

export type Letters = ReadonlyMap<string, LettersOfRecord>

export const recordKey = (topic: string, partition: number, offset: number): string => `${topic}/${partition}/${offset}`

/** Spans of a record that are dead letters. */
export const letteredSpans = (letters: LettersOfRecord | undefined, spanCount: number): number =>
  letters === undefined ? 0 : letters.whole ? spanCount : letters.spans.size

export async function readDeadLetters(log: EventLog): Promise<Letters> {
  const letters = new Map<string, LettersOfRecord>()
  const topic = (await log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)
  for (const { partition, lowWatermark: from, highWatermark: until } of topic?.partitions ?? []) {
    for await (const records of recordsOf(log, { topic: topicNames.deadLetter, partition, from, until })) {
      for (const { value } of records) {
        if (value === null) continue
        const letter = decodeDeadLetter(value)
        const key = recordKey(letter.topic, letter.partition, letter.offset)
        const known = letters.get(key) ?? { whole: false, spans: new Set() }
        letters.set(key, known)
        if (letter.index === null) known.whole = true
        else known.spans.add(letter.index)
      }
    }
  }
  return letters
}

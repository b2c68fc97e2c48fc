// The dead letters by the record they came from, each counted once: a chunk that was written again has
// written its letters again.
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type DeadLetter, readDeadLetter } from '@svc-server/schema/dead-letter'
import { recordsOf, spansOfRecord } from '../spans-on-log.ts'

export interface LettersOfRecord {
  /** The record as a whole is a dead letter. */
  whole: boolean
  /** Spans that it then says it has; 0 otherwise. */
  wholeSpans: number
  /** Numbers of its spans that are. */
  readonly spans: Set<number>
}

export const noLetters = (): LettersOfRecord => ({ whole: false, wholeSpans: 0, spans: new Set() })

export function addLetter(letters: LettersOfRecord, { index, raw }: Pick<DeadLetter, 'index' | 'raw'>): void {
  if (index !== null) letters.spans.add(index)
  else {
    letters.whole = true
    letters.wholeSpans = spansOfRecord(raw)
  }
}

export type Letters = ReadonlyMap<string, LettersOfRecord>

export const recordKey = (topic: string, partition: number, offset: number): string => `${topic}/${partition}/${offset}`

/** Spans of a record that are dead letters. */
export const deadLetteredSpans = (letters: LettersOfRecord | undefined, spanCount: number): number =>
  letters === undefined ? 0 : letters.whole ? spanCount : letters.spans.size

export interface LettersOnLog {
  readonly letters: Letters
  /** Of a release that this one does not know. */
  readonly unreadable: number
  /** Some have left the topic, or cannot be read. */
  readonly incomplete: boolean
}

export async function readDeadLetters(log: EventLog): Promise<LettersOnLog> {
  const letters = new Map<string, LettersOfRecord>()
  let unreadable = 0
  const topic = (await log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)
  for (const { partition, lowWatermark: from, highWatermark: until } of topic?.partitions ?? []) {
    for await (const records of recordsOf(log, { topic: topicNames.deadLetter, partition, from, until })) {
      for (const { value } of records) {
        if (value === null) continue
        const letter = readDeadLetter(value)
        if (letter === null) {
          unreadable += 1
          continue
        }
        const key = recordKey(letter.topic, letter.partition, letter.offset)
        const known = letters.get(key) ?? noLetters()
        letters.set(key, known)
        addLetter(known, letter)
      }
    }
  }
  const hasLeft = topic?.partitions.some(({ lowWatermark }) => lowWatermark > 0) ?? false
  return { letters, unreadable, incomplete: hasLeft || unreadable > 0 }
}

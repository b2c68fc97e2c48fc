// Groups dead letters by their original record. A retried chunk writes its dead letters again, but each dead letter is counted once.
import type { EventLog } from '@svc-server/log'
import type { DeadLetter } from '@svc-server/schema/dead-letter'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { deadLetterBatches, deadLetterRanges } from './on-topic.ts'

export interface DeadLettersOfRecord {
  /** True if the whole record was dead-lettered. */
  whole: boolean
  /** Number of spans that the record's envelope states, if the whole record was dead-lettered. Otherwise 0. */
  wholeSpans: number
  readonly spans: Set<number>
}

export const noDeadLetters = (): DeadLettersOfRecord => ({ whole: false, wholeSpans: 0, spans: new Set() })

export function addDeadLetter(deadLetters: DeadLettersOfRecord, { index, raw }: Pick<DeadLetter, 'index' | 'raw'>): void {
  if (index !== null) deadLetters.spans.add(index)
  else {
    deadLetters.whole = true
    deadLetters.wholeSpans = spansOfRecord(raw)
  }
}

export type DeadLetters = ReadonlyMap<string, DeadLettersOfRecord>

export const recordKey = (topic: string, partition: number, offset: number): string => `${topic}/${partition}/${offset}`

export const deadLetteredSpans = (deadLetters: DeadLettersOfRecord | undefined, spanCount: number): number =>
  deadLetters === undefined ? 0 : deadLetters.whole ? spanCount : deadLetters.spans.size

export interface DeadLettersOnLog {
  readonly deadLetters: DeadLetters
  /** Written by a newer release. */
  readonly unreadable: number
  /** True if the topic has lost dead letters or contains unreadable ones. */
  readonly incomplete: boolean
}

export async function readDeadLetters(log: EventLog): Promise<DeadLettersOnLog> {
  const deadLetters = new Map<string, DeadLettersOfRecord>()
  let unreadable = 0
  const ranges = await deadLetterRanges(log)
  for (const range of ranges) {
    for await (const batch of deadLetterBatches(log, range)) {
      for (const { deadLetter } of batch) {
        if (deadLetter === null) {
          unreadable += 1
          continue
        }
        const key = recordKey(deadLetter.topic, deadLetter.partition, deadLetter.offset)
        const known = deadLetters.get(key) ?? noDeadLetters()
        deadLetters.set(key, known)
        addDeadLetter(known, deadLetter)
      }
    }
  }
  const hasLeft = ranges.some(({ from }) => from > 0)
  return { deadLetters, unreadable, incomplete: hasLeft || unreadable > 0 }
}

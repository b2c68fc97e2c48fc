// Groups dead letters by the record they came from, and counts each once: a chunk that is written again writes its
// dead letters again.
import type { EventLog } from '@svc-server/log'
import type { DeadLetter } from '@svc-server/schema/dead-letter'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { letterBatches, letterRanges } from './on-topic.ts'

export interface LettersOfRecord {
  /** The record as a whole is a dead letter. */
  whole: boolean
  /** Spans of a wholly dead-lettered record by its envelope; 0 otherwise. */
  wholeSpans: number
  /** Indexes of its dead-lettered spans. */
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

/** Number of a record's dead-lettered spans. */
export const deadLetteredSpans = (letters: LettersOfRecord | undefined, spanCount: number): number =>
  letters === undefined ? 0 : letters.whole ? spanCount : letters.spans.size

export interface LettersOnLog {
  readonly letters: Letters
  /** Dead letters of a newer release, which this one cannot read. */
  readonly unreadable: number
  /** True when some have left the topic or are unreadable. */
  readonly incomplete: boolean
}

export async function readDeadLetters(log: EventLog): Promise<LettersOnLog> {
  const letters = new Map<string, LettersOfRecord>()
  let unreadable = 0
  const ranges = await letterRanges(log)
  for (const range of ranges) {
    for await (const batch of letterBatches(log, range)) {
      for (const { letter } of batch) {
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
  const hasLeft = ranges.some(({ from }) => from > 0)
  return { letters, unreadable, incomplete: hasLeft || unreadable > 0 }
}

// Groups dead letters by the record that they come from. Each dead letter is counted once, although a retried chunk writes its dead letters
// again.
import type { EventLog } from '@svc-server/log'
import type { DeadLetter } from '@svc-server/schema/dead-letter'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { deadLetterBatches, deadLetterRanges } from './on-topic.ts'

export interface DeadLettersOfRecord {
  /** True if the record was dead-lettered as a whole. */
  whole: boolean
  /** If the record was dead-lettered as a whole, the number of its spans according to its envelope; otherwise 0. */
  wholeSpans: number
  /** The indexes of those spans in the record that were dead-lettered individually. */
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

/** Returns how many spans of the record were dead-lettered. */
export const deadLetteredSpans = (deadLetters: DeadLettersOfRecord | undefined, spanCount: number): number =>
  deadLetters === undefined ? 0 : deadLetters.whole ? spanCount : deadLetters.spans.size

export interface DeadLettersOnLog {
  readonly deadLetters: DeadLetters
  /** Number of dead letters that this release cannot read because a newer release has written them. */
  readonly unreadable: number
  /** True if some dead letters were deleted from the topic or cannot be read. */
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

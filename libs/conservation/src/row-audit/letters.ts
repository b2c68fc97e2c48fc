// Dead letters of a few records. They are asked for only where rows are absent, and read from the time of the records on: a letter is never older.
import type { EventLog } from '@svc-server/log'
import { type DeadLetter, readDeadLetter, topicNames } from '@svc-server/schema'
import type { LettersOfRecord } from '../check/dead-letters.ts'
import type { OffsetRange } from '../spans-on-log.ts'

const topic = topicNames.deadLetter
const readBytes = 1 << 20
/** Brokers' clocks differ. */
const slackMs = 600_000

export interface LettersFound {
  /** By the offset of their record. */
  readonly letters: ReadonlyMap<number, LettersOfRecord>
  /** Some may have left the topic, or cannot be read. */
  readonly incomplete: boolean
}

/** Of the records of a range. Ends early once `isEnough`. Rejects with log_* AppErrors. */
export async function lettersOf(
  log: EventLog,
  range: OffsetRange,
  sinceMs: number,
  isEnough: (letters: ReadonlyMap<number, LettersOfRecord>) => boolean,
): Promise<LettersFound> {
  const letters = new Map<number, LettersOfRecord>()
  let unreadable = 0
  const described = (await log.describe()).find(({ spec }) => spec.name === topic)
  for (const { partition, lowWatermark, highWatermark } of described?.partitions ?? []) {
    for (let at = await firstSince(log, partition, lowWatermark, highWatermark, sinceMs - slackMs); at < highWatermark; ) {
      const { records, nextOffset } = await log.read(topic, partition, at, readBytes)
      for (const { value } of records) {
        const letter = value === null ? null : readDeadLetter(value)
        if (letter !== null) collect(letters, letter, range)
        else if (value !== null) unreadable += 1
      }
      if (isEnough(letters)) return { letters, incomplete: false }
      if (nextOffset <= at) break
      at = nextOffset
    }
  }
  const hasLeft = described?.partitions.some(({ lowWatermark }) => lowWatermark > 0) ?? false
  return { letters, incomplete: hasLeft || unreadable > 0 }
}

function collect(letters: Map<number, LettersOfRecord>, letter: DeadLetter, range: OffsetRange): void {
  if (letter.topic !== range.topic || letter.partition !== range.partition) return
  if (letter.offset < range.from || letter.offset >= range.until) return
  const known = letters.get(letter.offset) ?? { whole: false, spans: new Set() }
  letters.set(letter.offset, known)
  if (letter.index === null) known.whole = true
  else known.spans.add(letter.index)
}

/** The first offset whose record was appended at that time or later; append times of a partition do not fall. */
async function firstSince(log: EventLog, partition: number, low: number, high: number, sinceMs: number): Promise<number> {
  let from = low
  let until = high
  while (from < until) {
    const middle = Math.floor((from + until) / 2)
    const { records, nextOffset } = await log.read(topic, partition, middle, 1)
    const [first] = records
    if (first !== undefined && first.timestampMs >= sinceMs) until = middle
    else if (nextOffset <= middle) return from
    else from = first === undefined ? nextOffset : first.offset + 1
  }
  return from
}

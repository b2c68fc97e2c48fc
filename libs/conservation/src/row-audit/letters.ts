// Dead letters of a few records. They are asked for only where rows are absent, and read from the time of the records on: a letter is never older.
import type { EventLog } from '@svc-server/log'
import { decodeDeadLetter, topicNames, UndecodableRecord } from '@svc-server/schema'
import type { LettersOfRecord } from '../check/dead-letters.ts'
import type { OffsetRange } from '../spans-on-log.ts'

const topic = topicNames.deadLetter
const readBytes = 1 << 20
/** Brokers' clocks differ. */
const slackMs = 600_000

/** Of the records of a range, by their offset. Ends early once `isEnough`. Rejects with log_* AppErrors. */
export async function lettersOf(
  log: EventLog,
  range: OffsetRange,
  sinceMs: number,
  isEnough: (letters: ReadonlyMap<number, LettersOfRecord>) => boolean,
): Promise<ReadonlyMap<number, LettersOfRecord>> {
  const letters = new Map<number, LettersOfRecord>()
  const described = (await log.describe()).find(({ spec }) => spec.name === topic)
  for (const { partition, lowWatermark, highWatermark } of described?.partitions ?? []) {
    for (let at = await firstSince(log, partition, lowWatermark, highWatermark, sinceMs - slackMs); at < highWatermark; ) {
      const { records, nextOffset } = await log.read(topic, partition, at, readBytes)
      for (const { value } of records) if (value !== null) collect(letters, value, range)
      if (isEnough(letters)) return letters
      if (nextOffset <= at) break
      at = nextOffset
    }
  }
  return letters
}

function collect(letters: Map<number, LettersOfRecord>, value: Uint8Array, range: OffsetRange): void {
  const letter = readLetter(value)
  if (letter === null || letter.topic !== range.topic || letter.partition !== range.partition) return
  if (letter.offset < range.from || letter.offset >= range.until) return
  const known = letters.get(letter.offset) ?? { whole: false, spans: new Set() }
  letters.set(letter.offset, known)
  if (letter.index === null) known.whole = true
  else known.spans.add(letter.index)
}

function readLetter(value: Uint8Array) {
  try {
    return decodeDeadLetter(value)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
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

// Finds the dead letters of a few records. The search starts at the records' time, because no dead letter is older than its record.
import { isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import type { OffsetRange } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import { type DeadLetter, readDeadLetter } from '@svc-server/schema/dead-letter'
import { envelopeOf } from '@svc-server/schema/envelope'
import { addDeadLetter, type DeadLettersOfRecord, noDeadLetters } from './by-record.ts'
import { deadLetterRanges } from './on-topic.ts'

const topic = topicNames.deadLetter
const { staging, filled } = topicNames
const readBytes = 1 << 20
/** Clock difference between two brokers. */
const slackMs = 600_000

export interface DeadLettersFound {
  /** Dead letters by the offset of their record. */
  readonly deadLetters: ReadonlyMap<number, DeadLettersOfRecord>
  /** True if the topic possibly lost dead letters, or contains unreadable ones. */
  readonly incomplete: boolean
}

/**
 * Finds the dead letters of the records in a range of offsets. For staged records, the result includes the dead letters of their filled
 * records. The search ends when `isEnough` returns true.
 */
export async function deadLettersOf(
  log: EventLog,
  range: OffsetRange,
  sinceMs: number,
  isEnough: (deadLetters: ReadonlyMap<number, DeadLettersOfRecord>) => boolean,
): Promise<DeadLettersFound> {
  const deadLetters = new Map<number, DeadLettersOfRecord>()
  let unreadable = 0
  const ranges = await deadLetterRanges(log)
  for (const { partition, from, until } of ranges) {
    for (let at = await firstSince(log, partition, from, until, sinceMs - slackMs); at < until; ) {
      const { records, nextOffset } = await log.read(topic, partition, at, readBytes)
      for (const { value } of records) {
        const deadLetter = value === null ? null : readDeadLetter(value)
        if (deadLetter !== null) await collect(log, deadLetters, deadLetter, range)
        else if (value !== null) unreadable += 1
      }
      if (isEnough(deadLetters)) return { deadLetters, incomplete: false }
      if (nextOffset <= at) break
      at = nextOffset
    }
  }
  const hasLeft = ranges.some(({ from }) => from > 0)
  return { deadLetters, incomplete: hasLeft || unreadable > 0 }
}

async function collect(
  log: EventLog,
  deadLetters: Map<number, DeadLettersOfRecord>,
  deadLetter: DeadLetter,
  range: OffsetRange,
): Promise<void> {
  if (deadLetter.partition !== range.partition) return
  const offset = deadLetter.topic === range.topic ? deadLetter.offset : await stagedOffset(log, deadLetter, range)
  if (offset === null || offset < range.from || offset >= range.until) return
  const known = deadLetters.get(offset) ?? noDeadLetters()
  deadLetters.set(offset, known)
  addDeadLetter(known, deadLetter)
}

/**
 * Returns the offset of the staged record from which a filled record was made. Both records are in partitions with the same number, and
 * contain their spans in the same order. Returns null if the offset is unknown.
 */
async function stagedOffset(
  log: EventLog,
  { topic: of, partition, offset, index, raw }: DeadLetter,
  range: OffsetRange,
): Promise<number | null> {
  if (range.topic !== staging || of !== filled) return null
  const told = index === null ? envelopeOf(raw, 0).staged : null
  if (told !== null) return told.offset
  try {
    const [record] = (await log.read(filled, partition, offset, 1)).records
    return record?.offset === offset ? (envelopeOf(record.value, 0).staged?.offset ?? null) : null
  } catch (error) {
    if (isAppError(error) && (error.code === 'offset_out_of_range' || error.code === 'log_corrupt')) return null
    throw error
  }
}

/** Returns the offset of the first record appended at or after `sinceMs`. Append times in a partition never decrease. */
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

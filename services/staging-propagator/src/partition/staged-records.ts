// Reads staged records again by their offsets.
import { isAppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import type { OwnerDeps } from './deps.ts'

/**
 * If the offsets of two needed records differ by at most this number, the reader also reads the unneeded records between the two. A second
 * read would cost more than these unneeded records.
 */
const denseGap = 200

export interface RecordAt {
  readonly offset: number
  /** The record; null if retention has deleted it. */
  readonly record: LogRecord | null
}

/** Returns the records at the given ascending offsets. */
export async function* recordsAt(
  { log, partition, config }: Pick<OwnerDeps, 'log' | 'partition' | 'config'>,
  offsets: readonly number[],
): AsyncGenerator<RecordAt> {
  for (let index = 0; index < offsets.length; ) {
    const from = offsets[index]!
    const isRun = (offsets[index + 1] ?? Number.POSITIVE_INFINITY) - from <= denseGap
    const records = await readFrom(log, partition, from, isRun ? config.readBytes : 1)
    if (records === null) {
      yield { offset: from, record: null }
      index++
      continue
    }
    const end = records.at(-1)?.offset ?? from
    const byOffset = new Map(records.map(record => [record.offset, record]))
    for (; index < offsets.length && offsets[index]! <= end; index++) {
      yield { offset: offsets[index]!, record: byOffset.get(offsets[index]!) ?? null }
    }
  }
}

async function readFrom(log: EventLog, partition: number, from: number, maxBytes: number): Promise<readonly LogRecord[] | null> {
  try {
    const { records } = await readWithin(log, { topic: topicNames.staging, partition, from, until: from + 1 }, maxBytes)
    return records
  } catch (error) {
    if (isAppError(error) && error.code === 'offset_out_of_range') return null
    throw error
  }
}

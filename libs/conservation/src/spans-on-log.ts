// What the log says about a range of it: its items by their envelopes.
import { isAppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import { type OffsetRange, readRange } from '@svc-server/log/read-range'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { isCompacted } from '@svc-server/schema/topics'

export type { OffsetRange }

export interface ReadLimits {
  /** Bytes to read at most. */
  readonly maxBytes?: number
  /** True after the first record that has spans. */
  readonly stopAtFirst?: boolean
}

export interface SpansOnLog {
  readonly spans: number
  /** Offsets that nobody can say anything of: retention has taken them, the limit was reached, or they lack where no hole may be. */
  readonly unread: number
}

const readBytes = 8 << 20
/** Where the first record with spans ends the search. */
const firstReadBytes = 64 << 10

/**
 * Transactions leave holes on Kafka, and compaction on every log: what it took, a later record of the same key says anew. Elsewhere, every offset of the
 * embedded log is a record.
 */
export const allowsHoles = (log: EventLog, topic: string): boolean => log.kind === 'kafka' || isCompacted(topic)

/** The records of a range, batch by batch. Throws `offset_out_of_range` below the low watermark, `log_unavailable` where they do not show. */
export async function* recordsOf(log: EventLog, range: OffsetRange, maxBytes = readBytes): AsyncGenerator<readonly LogRecord[]> {
  for await (const { records } of readRange(log, range, maxBytes)) yield records
}

/** Counts the items of a range. */
export async function spansOnLog(log: EventLog, range: OffsetRange, limits: ReadLimits = {}): Promise<SpansOnLog> {
  const { maxBytes = Number.POSITIVE_INFINITY, stopAtFirst = false } = limits
  let spans = 0
  let bytes = 0
  let lacking = 0
  let next = range.from
  try {
    for await (const records of recordsOf(log, range, stopAtFirst ? firstReadBytes : readBytes)) {
      for (const { value, offset } of records) {
        lacking += offset - next
        next = offset + 1
        spans += spansOfRecord(value)
        bytes += value?.byteLength ?? 0
        if (bytes > maxBytes || (stopAtFirst && spans > 0))
          return { spans, unread: range.until - next + unreadIn(log, range.topic, lacking) }
      }
    }
  } catch (error) {
    if (!isAppError(error) || !unreadable.has(error.code)) throw error
    return { spans, unread: range.until - next + unreadIn(log, range.topic, lacking) }
  }
  return { spans, unread: unreadIn(log, range.topic, lacking + range.until - next) }
}

const unreadable: ReadonlySet<string> = new Set(['offset_out_of_range', 'log_corrupt'])
const unreadIn = (log: EventLog, topic: string, lacking: number) => (allowsHoles(log, topic) ? 0 : lacking)

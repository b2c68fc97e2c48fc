// Counts the items on the log. The envelope of a record states the number of its items, so no payload is decoded.
import { isAppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import { type OffsetRange, readRange } from '@svc-server/log/read-range'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { isCompacted } from '@svc-server/schema/topics'

export type { OffsetRange }

export interface ReadLimits {
  readonly maxBytes?: number
  /** If true, the count stops after the first record with spans. */
  readonly stopAtFirst?: boolean
}

export interface SpansOnLog {
  readonly spans: number
  /** Number of offsets that were not read: their records are deleted, damaged or missing, or the count stopped before them. */
  readonly unread: number
}

const readBytes = 8 << 20
/** Maximum bytes of a read with `stopAtFirst`. */
const firstReadBytes = 64 << 10

/**
 * True if an offset of the topic can lack a record without a loss. On Kafka, transactions leave offsets without records. On both logs,
 * compaction also leaves offsets without records. On the embedded log, every offset of a topic without compaction has a record.
 */
export const allowsHoles = (log: EventLog, topic: string): boolean => log.kind === 'kafka' || isCompacted(topic)

/** Throws `offset_out_of_range` if an offset to read is below the low watermark, and `log_unavailable` if reads return no records. */
export async function* recordsOf(log: EventLog, range: OffsetRange, maxBytes = readBytes): AsyncGenerator<readonly LogRecord[]> {
  for await (const { records } of readRange(log, range, maxBytes)) yield records
}

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

// What the log says about a range of it: its items by their envelopes. No payload is opened.
import { isAppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import { type OffsetRange, readRange } from '@svc-server/log/read-range'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntityHead, isEntity } from '@svc-server/schema/entity'
import { decodeSpanBatch, rowTimeUs, type StagedOrigin } from '@svc-server/schema/span-batch'
import { isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { isCompacted } from '@svc-server/schema/topics'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { entityTimeUs } from './entity-rows.ts'

export interface Envelope {
  /** Its items: spans, or one where the record is the item itself. */
  readonly spans: number
  /** The item is a merged entity, which lies among spans from spans.staging on. */
  readonly isEntity: boolean
  /** event_ts of its rows, in microseconds. */
  readonly rowTimeUs: number
  /** Of a filled record. */
  readonly staged: StagedOrigin | null
  /**
   * Of the process that accepted it: it decides in which tables its spans are. Null: it does not say, or
   * cannot be read.
   */
  readonly writeMode: WriteMode | null
}

/** What a record says of itself. One that cannot be read counts as one item: it must not be lost, either. */
export function envelopeOf(value: Uint8Array | null, timestampMs: number): Envelope {
  const unread = { spans: 1, isEntity: false, rowTimeUs: timestampMs * 1000, staged: null, writeMode: null }
  // A staged run item becomes no row: spans are filled with it.
  if (value === null || isStagedRunItem(value)) return { ...unread, spans: 0 }
  try {
    return isEntity(value) ? entityEnvelope(value) : spanEnvelope(value, timestampMs)
  } catch (error) {
    if (error instanceof UndecodableRecord) return unread
    throw error
  }
}

function entityEnvelope(value: Uint8Array): Envelope {
  const entity = decodeEntityHead(value)
  const { staged = null, writeMode = null } = entity
  return { spans: 1, isEntity: true, rowTimeUs: entityTimeUs(entity), staged, writeMode }
}

function spanEnvelope(value: Uint8Array, timestampMs: number): Envelope {
  const batch = decodeSpanBatch(value)
  const { spanCount: spans, staged = null, writeMode = null } = batch
  return { spans, isEntity: false, rowTimeUs: rowTimeUs(batch, timestampMs), staged, writeMode }
}

/** Items that a record says it has. */
export const spansOfRecord = (value: Uint8Array | null): number => envelopeOf(value, 0).spans

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

// Reads the envelope of a record of any kind: the number and kind of its items. No payload is decoded.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import { decodeEntityHead, type EntityRecord, isEntity } from './entity.ts'
import { decodeSpanBatch, rowTimeUs, type StagedOrigin } from './span-batch.ts'
import { isStagedRunItem } from './staged-run-item.ts'

/**
 * More repairs of a version than this number would no longer have distinct times. Each repair adds a microsecond to the time; the next
 * version is at least a millisecond later.
 */
const repairsOfVersion = 999

/**
 * event_ts of the entity's rows in microseconds since the epoch: the entity's version. A staged entity adds the number of its earlier
 * publications.
 */
export const entityTimeUs = ({ versionMs, staged }: Pick<EntityRecord, 'versionMs' | 'staged'>): number =>
  versionMs * 1000 + Math.min(staged?.generation ?? 0, repairsOfVersion)

export interface Envelope {
  /** Number of the record's spans, or one if the record itself is the item. */
  readonly spans: number
  /** True if the item is a merged entity. On spans.staging and the topics after spans.staging, merged entities are among spans. */
  readonly isEntity: boolean
  /** event_ts of the record's rows, in microseconds. */
  readonly rowTimeUs: number
  /** The position at which the spans of a filled record were staged. */
  readonly staged: StagedOrigin | null
  /**
   * Write mode of the process that accepted the record. Determines the tables for the record's spans. Null if the record has no write mode
   * or is unreadable.
   */
  readonly writeMode: WriteMode | null
}

/** Returns the envelope of a record. An unreadable record counts as one item, so that its loss is noticed. */
export function envelopeOf(value: Uint8Array | null, timestampMs: number): Envelope {
  const unread = { spans: 1, isEntity: false, rowTimeUs: timestampMs * 1000, staged: null, writeMode: null }
  // A staged run item does not become a row; it only supplies values to spans.
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

/** Returns the number of items that the record's envelope states. */
export const spansOfRecord = (value: Uint8Array | null): number => envelopeOf(value, 0).spans

// Reads the number and kind of a record's items, without decoding a payload.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import { decodeEntityHead, type EntityRecord, isEntity } from './entity.ts'
import { decodeSpanBatch, rowTimeUs, type StagedOrigin } from './span-batch.ts'
import { isStagedRunItem } from './staged-run-item.ts'

/**
 * Maximum repairs of a version. Each repair adds a microsecond to the time of the version. The next version can follow after one
 * millisecond, and must be newer than all of these repairs.
 */
const repairsOfVersion = 999

/**
 * Returns event_ts of the entity's rows in microseconds. This time is the entity's version. If the entity is staged, each earlier
 * publication of the entity adds 1 µs, up to 999 µs.
 */
export const entityTimeUs = ({ versionMs, staged }: Pick<EntityRecord, 'versionMs' | 'staged'>): number =>
  versionMs * 1000 + Math.min(staged?.generation ?? 0, repairsOfVersion)

export interface Envelope {
  /** The number of spans in the record. The number is 1 for a record without spans, such as an entity. */
  readonly spans: number
  /** True if the record is a merged entity. The topics spans.staging and spans.filled contain such records beside the records of spans. */
  readonly isEntity: boolean
  /** event_ts, in microseconds. */
  readonly rowTimeUs: number
  /** The place of the record's spans on spans.staging. Only records of spans.filled have such a place. */
  readonly staged: StagedOrigin | null
  /** The mode determines the tables for the record's spans. Null if the record has no mode or is unreadable. */
  readonly writeMode: WriteMode | null
}

/** Reads a record's envelope. An unreadable record counts as one item, so that its loss is noticed. */
export function envelopeOf(value: Uint8Array | null, timestampMs: number): Envelope {
  const unread = { spans: 1, isEntity: false, rowTimeUs: timestampMs * 1000, staged: null, writeMode: null }
  // A staged run item does not become a row, so it counts as no item.
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

export const spansOfRecord = (value: Uint8Array | null): number => envelopeOf(value, 0).spans

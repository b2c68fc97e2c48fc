// Reads a record's description of its items, whatever its kind, without opening a payload.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import { decodeEntityHead, type EntityRecord, isEntity } from './entity.ts'
import { decodeSpanBatch, rowTimeUs, type StagedOrigin } from './span-batch.ts'
import { isStagedRunItem } from './staged-run-item.ts'

/** Number of repairs of one version with distinct times: the next version is a millisecond later. */
const repairsOfVersion = 999

/**
 * event_ts of the entity's rows in microseconds since the epoch: the version, plus the number of earlier publications
 * for a staged entity.
 */
export const entityTimeUs = ({ versionMs, staged }: Pick<EntityRecord, 'versionMs' | 'staged'>): number =>
  versionMs * 1000 + Math.min(staged?.generation ?? 0, repairsOfVersion)

export interface Envelope {
  /** Number of items of the record: its spans, or one when the record itself is the item. */
  readonly spans: number
  /** True when the item is a merged entity, which lies among spans from spans.staging on. */
  readonly isEntity: boolean
  /** event_ts of its rows, in microseconds. */
  readonly rowTimeUs: number
  /** Staging origin of a filled record. */
  readonly staged: StagedOrigin | null
  /**
   * Write mode of the accepting process, which decides the tables of its spans. Null when the record has no stamp or
   * is unreadable.
   */
  readonly writeMode: WriteMode | null
}

/** Returns the envelope of a record. An unreadable record counts as one item, because it must not be lost, either. */
export function envelopeOf(value: Uint8Array | null, timestampMs: number): Envelope {
  const unread = { spans: 1, isEntity: false, rowTimeUs: timestampMs * 1000, staged: null, writeMode: null }
  // A staged run item becomes no row. Spans are filled with it.
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

/** Number of items by the record's envelope. */
export const spansOfRecord = (value: Uint8Array | null): number => envelopeOf(value, 0).spans

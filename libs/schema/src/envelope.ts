// What a record says of its items, whatever kind it is. No payload is opened.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import { decodeEntityHead, type EntityRecord, isEntity } from './entity.ts'
import { decodeSpanBatch, rowTimeUs, type StagedOrigin } from './span-batch.ts'
import { isStagedRunItem } from './staged-run-item.ts'

/** Repairs of a version that have a time of their own: the next version is a millisecond later. */
const repairsOfVersion = 999

/** event_ts of its rows, microseconds since the epoch: the version, and of a staged entity how often that was published before. */
export const entityTimeUs = ({ versionMs, staged }: Pick<EntityRecord, 'versionMs' | 'staged'>): number =>
  versionMs * 1000 + Math.min(staged?.generation ?? 0, repairsOfVersion)

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

// The record of `entities`: a trace or an observation merged from its events, with everything needed to merge the next event. The record is
// the merger's changelog, and rows are made from it. The same record is also used as a part of a trace that is sent to the merger, and as
// the staged form of an entity on spans.staging and spans.filled.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { entityHeadSchema, entitySchema } from './avro/entity-record.ts'
import { entityHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import type { EntityType } from './ingestion-event.ts'
import type { RunItemFill } from './run-item-fill.ts'
import type { StagedOrigin } from './span-batch.ts'
import { type TraceAttributes, withoutNulls } from './trace-attributes.ts'

/** Position of an event in the order of an entity's events. */
interface EntitySource {
  readonly atUs: number
  readonly update: boolean
  readonly id: string
  readonly hash: string
}

/** The values that determine a row's sorting key. For a trace, only the time is used. */
export interface EntityKey {
  readonly startMs: number
  readonly type: string
  readonly traceId: string
}

export interface EntityRecord {
  readonly projectId: string
  readonly entityType: EntityType
  readonly entityId: string
  /**
   * Write mode of the newest event. It determines the entity's tables. If it is null or absent, the reader's mode applies.
   */
  readonly writeMode?: WriteMode | null
  /** Version of the entity's rows. The version grows with every publication. It is 0 for a part. */
  readonly versionMs: number
  readonly sources: readonly EntitySource[]
  /** Here and below, `source` is an index into `sources`. */
  readonly fields: readonly { readonly name: string; readonly source: number; readonly value: string | null }[]
  readonly leaves: readonly { readonly path: readonly string[]; readonly source: number; readonly value: string }[]
  readonly tags: readonly string[]
  readonly firstMs: number | null
  readonly createdMs: number | null
  readonly legacy: boolean
  readonly legacyChild: boolean
  readonly root: { readonly startUs: number; readonly spanId: string } | null
  /** Former keys of the entity's rows, at which there are tombstones now. */
  readonly retired: readonly EntityKey[]
  /**
   * On spans.filled, the attributes of the entity's trace. On every topic other than spans.filled, this field and the fields below are null
   * or absent.
   */
  readonly traceAttributes?: TraceAttributes | null
  /** The root span, without a parent, that the trace has from OTel. */
  readonly rootSpanId?: string | null
  readonly staged?: StagedOrigin | null
  /** The run item to which the entity belongs. */
  readonly runItem?: RunItemFill | null
}

const codec = createRecordCodec<EntityRecord>(entitySchema, entityHistory)

/** Avro single-object encoding. */
export const encodeEntity = (entity: EntityRecord): Buffer => codec.encode(entity)

/** Throws UndecodableRecord. */
export function decodeEntity(bytes: Uint8Array): EntityRecord {
  const entity = codec.decode(bytes)
  return entity.traceAttributes ? { ...entity, traceAttributes: withoutNulls({ ...entity.traceAttributes }) } : entity
}

/** True if the bytes are an entity. The check is needed on topics with records of several kinds: staged entities are among staged spans. */
export const isEntity = (bytes: Uint8Array): boolean => codec.knows(bytes)

type Counted = readonly unknown[]

/** Kind and size of a record, read without reading its content. */
export interface EntityHead extends Pick<EntityRecord, 'projectId' | 'entityType' | 'entityId' | 'writeMode' | 'versionMs' | 'staged'> {
  readonly sources: Counted
  readonly leaves: Counted
  readonly retired: Counted
}

const headCodec = createRecordCodec<EntityHead>(entityHeadSchema, entityHistory)

/** Throws UndecodableRecord in the same cases as `decodeEntity`. */
export const decodeEntityHead = (bytes: Uint8Array): EntityHead => headCodec.decode(bytes)

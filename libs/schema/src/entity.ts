// The record of `entities`: a trace or an observation merged from its events, with everything needed to merge the
// next event. It is the merger's changelog and the source of rows. The same record serves as a part of a trace on its
// way to the merger, and as the staged form of an entity on spans.staging and spans.filled.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { entityHeadSchema, entitySchema } from './avro/entity-record.ts'
import { entityHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import type { EntityType } from './ingestion-event.ts'
import type { RunItemFill } from './run-item-fill.ts'
import type { StagedOrigin } from './span-batch.ts'
import { type TraceAttributes, withoutNulls } from './trace-attributes.ts'

/** Position of an event in the order of events. */
interface EntitySource {
  readonly atUs: number
  readonly update: boolean
  readonly id: string
  readonly hash: string
}

/** The values that decide a row's sorting key. For a trace only the time counts. */
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
   * Write mode of the newest event. It decides the entity's tables. When null or absent, the reader's mode applies.
   */
  readonly writeMode?: WriteMode | null
  /** Version of the entity's rows. It grows with every publication. 0 for a part. */
  readonly versionMs: number
  readonly sources: readonly EntitySource[]
  /** `source` is an index in `sources`, here and below. */
  readonly fields: readonly { readonly name: string; readonly source: number; readonly value: string | null }[]
  readonly leaves: readonly { readonly path: readonly string[]; readonly source: number; readonly value: string }[]
  readonly tags: readonly string[]
  readonly firstMs: number | null
  readonly createdMs: number | null
  readonly legacy: boolean
  readonly legacyChild: boolean
  readonly root: { readonly startUs: number; readonly spanId: string } | null
  /** Former keys of the entity's rows, where tombstones stand. */
  readonly retired: readonly EntityKey[]
  /** On spans.filled: attributes of its trace. This field and those below are null or absent on every other topic. */
  readonly traceAttributes?: TraceAttributes | null
  /** The trace's root span by OTel, which has no parent. */
  readonly rootSpanId?: string | null
  readonly staged?: StagedOrigin | null
  /** The run item of the entity. */
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

/** True for the bytes of an entity. Needed on topics with other records, too: staged entities lie among staged spans. */
export const isEntity = (bytes: Uint8Array): boolean => codec.knows(bytes)

type Counted = readonly unknown[]

/** Kind and size of a record, read without its content. */
export interface EntityHead extends Pick<EntityRecord, 'projectId' | 'entityType' | 'entityId' | 'writeMode' | 'versionMs' | 'staged'> {
  readonly sources: Counted
  readonly leaves: Counted
  readonly retired: Counted
}

const headCodec = createRecordCodec<EntityHead>(entityHeadSchema, entityHistory)

/** Throws UndecodableRecord whenever `decodeEntity` does. */
export const decodeEntityHead = (bytes: Uint8Array): EntityHead => headCodec.decode(bytes)

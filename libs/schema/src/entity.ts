// The record of `entities`: a trace or an observation merged from its events, with everything needed to merge the next event. The record is
// the merger's changelog and the source of the rows. The parts of traces that are sent to the merger have the format of staged entities on
// spans.staging and spans.filled.
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

/** The values that determine a row's sorting key. A trace uses only the time. */
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
   * Write mode of the newest event, which determines the tables of the entity. Readers use their own mode if the record's mode is null or
   * absent.
   */
  readonly writeMode?: WriteMode | null
  /** Version of the entity's rows. Every publication increases the version. A part of an entity has the version 0. */
  readonly versionMs: number
  readonly sources: readonly EntitySource[]
  /** `source` is an index into `sources`, here and in the following fields. */
  readonly fields: readonly { readonly name: string; readonly source: number; readonly value: string | null }[]
  readonly leaves: readonly { readonly path: readonly string[]; readonly source: number; readonly value: string }[]
  readonly tags: readonly string[]
  readonly firstMs: number | null
  readonly createdMs: number | null
  readonly legacy: boolean
  readonly legacyChild: boolean
  readonly root: { readonly startUs: number; readonly spanId: string } | null
  /** Former keys of the entity's rows. */
  readonly retired: readonly EntityKey[]
  /** The attributes of the entity's trace. Exists only on spans.filled, as do the following fields; null or absent on other topics. */
  readonly traceAttributes?: TraceAttributes | null
  /** The trace's root span (a span without a parent), if the trace has spans from OTel. */
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

/** True if the bytes are an entity. Readers of topics with staged entities among staged spans need this check. */
export const isEntity = (bytes: Uint8Array): boolean => codec.knows(bytes)

type Counted = readonly unknown[]

/** Kind and size of a record, which can be read without its content. */
export interface EntityHead extends Pick<EntityRecord, 'projectId' | 'entityType' | 'entityId' | 'writeMode' | 'versionMs' | 'staged'> {
  readonly sources: Counted
  readonly leaves: Counted
  readonly retired: Counted
}

const headCodec = createRecordCodec<EntityHead>(entityHeadSchema, entityHistory)

/** Throws UndecodableRecord for the same records as `decodeEntity`. */
export const decodeEntityHead = (bytes: Uint8Array): EntityHead => headCodec.decode(bytes)

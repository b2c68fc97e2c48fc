// The record of the topic `entities`: a trace or an observation, with everything needed to merge its next event. The topic is the merger's
// changelog. The writer also makes the rows of the tables `traces` and `observations` from these records. The parts of traces that are sent
// to the merger have the same format, and so do the staged entities on spans.staging and spans.filled.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { entityHeadSchema, entitySchema } from './avro/entity-record.ts'
import { entityHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import type { EntityType } from './ingestion-event.ts'
import type { RunItemFill } from './run-item-fill.ts'
import type { StagedOrigin } from './span-batch.ts'
import { type TraceAttributes, withoutNulls } from './trace-attributes.ts'

/** An event that determines a value of the entity. The fields are the event's position in the order of the entity's events. */
interface EntitySource {
  readonly atUs: number
  readonly update: boolean
  readonly id: string
  readonly hash: string
}

/** Values that determine the sorting key of an entity's row. Of these values, only `startMs` affects the sorting key of a trace's row. */
export interface EntityKey {
  readonly startMs: number
  readonly type: string
  readonly traceId: string
}

export interface EntityRecord {
  readonly projectId: string
  readonly entityType: EntityType
  readonly entityId: string
  /** Write mode of the newest event. If the mode is null or absent, readers use their own mode. */
  readonly writeMode?: WriteMode | null
  /** Version of the rows. The version of an entity increases with every publication. The version of a part is always 0. */
  readonly versionMs: number
  readonly sources: readonly EntitySource[]
  /** `source` is an index into `sources`. */
  readonly fields: readonly { readonly name: string; readonly source: number; readonly value: string | null }[]
  readonly leaves: readonly { readonly path: readonly string[]; readonly source: number; readonly value: string }[]
  readonly tags: readonly string[]
  readonly firstMs: number | null
  readonly createdMs: number | null
  readonly legacy: boolean
  readonly legacyChild: boolean
  readonly root: { readonly startUs: number; readonly spanId: string } | null
  /** Keys that the entity's rows had earlier. */
  readonly retired: readonly EntityKey[]
  /** Only records of spans.filled have this field and the fields after it. In other records, these fields are null or absent. */
  readonly traceAttributes?: TraceAttributes | null
  /** Id of the trace's span without a parent. Only a trace with spans from OTel has this id. */
  readonly rootSpanId?: string | null
  readonly staged?: StagedOrigin | null
  readonly runItem?: RunItemFill | null
}

const codec = createRecordCodec<EntityRecord>(entitySchema, entityHistory)

export const encodeEntity = (entity: EntityRecord): Buffer => codec.encode(entity)

/** Throws UndecodableRecord. */
export function decodeEntity(bytes: Uint8Array): EntityRecord {
  const entity = codec.decode(bytes)
  return entity.traceAttributes ? { ...entity, traceAttributes: withoutNulls({ ...entity.traceAttributes }) } : entity
}

/** True for an entity. The topic spans.staging also contains spans and run items. */
export const isEntity = (bytes: Uint8Array): boolean => codec.knows(bytes)

type Counted = readonly unknown[]

/** The part of an entity's record that `decodeEntityHead` decodes. The function does not decode the content of the entity. */
export interface EntityHead extends Pick<EntityRecord, 'projectId' | 'entityType' | 'entityId' | 'writeMode' | 'versionMs' | 'staged'> {
  readonly sources: Counted
  readonly leaves: Counted
  readonly retired: Counted
}

const headCodec = createRecordCodec<EntityHead>(entityHeadSchema, entityHistory)

/** Throws UndecodableRecord like `decodeEntity`. */
export const decodeEntityHead = (bytes: Uint8Array): EntityHead => headCodec.decode(bytes)

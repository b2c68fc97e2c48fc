// The record of `entities`: a trace or an observation merged from its events, with as much of them as merging
// the next one needs. It is the merger's changelog and the source of rows. The same record is a part of a
// trace on its way to the merger, and the staged form of an entity on spans.staging and spans.filled.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { entityHeadSchema, entitySchema } from './avro/entity-record.ts'
import { entityHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import type { EntityType } from './ingestion-event.ts'
import type { RunItemFill } from './run-item-fill.ts'
import type { StagedOrigin } from './span-batch.ts'
import { type TraceAttributes, withoutNulls } from './trace-attributes.ts'

/** An event's place in the order of events. */
interface EntitySource {
  readonly atUs: number
  readonly update: boolean
  readonly id: string
  readonly hash: string
}

/** What decided the place of a row. Of a trace only the time says something. */
export interface EntityKey {
  readonly startMs: number
  readonly type: string
  readonly traceId: string
}

export interface EntityRecord {
  readonly projectId: string
  readonly entityType: EntityType
  readonly entityId: string
  /** Tables that the newest of its events are for; null or absent: those of the mode of whoever reads it. */
  readonly writeMode?: WriteMode | null
  /** Version of its rows, grows with every publication of the entity; 0: a part of one. */
  readonly versionMs: number
  readonly sources: readonly EntitySource[]
  /** `source`: position in `sources`, here and below. */
  readonly fields: readonly { readonly name: string; readonly source: number; readonly value: string | null }[]
  readonly leaves: readonly { readonly path: readonly string[]; readonly source: number; readonly value: string }[]
  readonly tags: readonly string[]
  readonly firstMs: number | null
  readonly createdMs: number | null
  readonly legacy: boolean
  readonly legacyChild: boolean
  readonly root: { readonly startUs: number; readonly spanId: string } | null
  /** Keys that its rows had before: tombstones stand there. */
  readonly retired: readonly EntityKey[]
  /** On spans.filled: what its trace says; null or absent on every other topic, as are those below. */
  readonly traceAttributes?: TraceAttributes | null
  /** The span without a parent that its trace has by OTel. */
  readonly rootSpanId?: string | null
  readonly staged?: StagedOrigin | null
  /** The run item that it belongs to. */
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

/** True when the bytes are such a record, on topics that have others too: staged entities lie among staged spans. */
export const isEntity = (bytes: Uint8Array): boolean => codec.knows(bytes)

type Counted = readonly unknown[]

/** Of a record without making anything of its content: what it is, and how much. */
export interface EntityHead extends Pick<EntityRecord, 'projectId' | 'entityType' | 'entityId' | 'writeMode' | 'versionMs' | 'staged'> {
  readonly sources: Counted
  readonly leaves: Counted
  readonly retired: Counted
}

const headCodec = createRecordCodec<EntityHead>(entityHeadSchema, entityHistory)

/** Throws UndecodableRecord for what `decodeEntity` does. */
export const decodeEntityHead = (bytes: Uint8Array): EntityHead => headCodec.decode(bytes)

// The record of `ingestion`: one event of the legacy API that is accepted but not yet merged. The key of the record is `entityKey`, so that
// the events of an entity stay in order (architecture §4; contract §§14.2, 14.4).
import type { Accepted } from './accepted.ts'
import { ingestionEventHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { ingestionEventSchema } from './avro/records.ts'

export type EntityType = 'trace' | 'observation'

export interface IngestionEvent extends Accepted {
  readonly entityType: EntityType
  readonly entityId: string
  /** The type as the client sent it: `trace-create`, `span-update`. */
  readonly eventType: string
  /** The id in the event's envelope. The event's id, which a client repeats when it sends the event twice. */
  readonly eventId: string
  /** The time in the event's envelope, in microseconds. */
  readonly timestampUs: number
  /**
   * The body as JSON text of an object, after validation with its schema. The text has the client's keys without unknown ones, because the
   * merger distinguishes an absent key from null. `id` is the entity's id. Values are unchanged; the merger normalizes environment, usage
   * and times.
   */
  readonly body: Uint8Array
}

const codec = createRecordCodec<IngestionEvent>(ingestionEventSchema, ingestionEventHistory)

/** Avro single-object encoding. */
export const encodeIngestionEvent = (event: IngestionEvent): Buffer => codec.encode(event)

/** `body` is a view of `bytes`, never a copy. Throws UndecodableRecord. */
export const decodeIngestionEvent = (bytes: Uint8Array): IngestionEvent => codec.decode(bytes)

/** Returns the key for the topics `ingestion` and `entities`. With this key, all events of an entity are on one partition. */
export const entityKey = ({ projectId, entityType, entityId }: Pick<IngestionEvent, 'projectId' | 'entityType' | 'entityId'>): string =>
  `${projectId}/${entityType}/${entityId}`

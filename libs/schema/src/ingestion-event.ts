// The record of `ingestion`: one event of the legacy API, not yet merged. Its key is `entityKey`, so that the events of an entity stay in
// order (architecture §4; contract §§14.2, 14.4).
import type { Accepted } from './accepted.ts'
import { ingestionEventHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { ingestionEventSchema } from './avro/records.ts'

export type EntityType = 'trace' | 'observation'

export interface IngestionEvent extends Accepted {
  readonly entityType: EntityType
  readonly entityId: string
  /** The type as the client sent it, such as `trace-create`. */
  readonly eventType: string
  /** Id in the event's envelope. A client that sends the event again uses the same id. */
  readonly eventId: string
  /** Time in the event's envelope, in microseconds. */
  readonly timestampUs: number
  /**
   * JSON text of an object that the API has validated. It has only keys that the client sent, because the merger distinguishes an absent
   * key from null. `id` is the entity's id. The values are as the client sent them. The merger normalizes them later.
   */
  readonly body: Uint8Array
}

const codec = createRecordCodec<IngestionEvent>(ingestionEventSchema, ingestionEventHistory)

export const encodeIngestionEvent = (event: IngestionEvent): Buffer => codec.encode(event)

/** `body` is a view of `bytes`. Throws UndecodableRecord. */
export const decodeIngestionEvent = (bytes: Uint8Array): IngestionEvent => codec.decode(bytes)

/** On each of the topics `ingestion` and `entities`, this key puts all records of an entity on one partition. */
export const entityKey = ({ projectId, entityType, entityId }: Pick<IngestionEvent, 'projectId' | 'entityType' | 'entityId'>): string =>
  `${projectId}/${entityType}/${entityId}`

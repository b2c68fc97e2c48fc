// The record of `scores`: a score that is ready to be stored, or the deletion of a score (contract §14.3). The score was checked against
// its configuration before it was accepted.
import type { Accepted } from './accepted.ts'
import { scoreEventHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { scoreEventSchema } from './avro/records.ts'

type ScoreSource = 'API' | 'EVAL' | 'ANNOTATION'
type ScoreDataType = 'NUMERIC' | 'CATEGORICAL' | 'BOOLEAN' | 'CORRECTION' | 'TEXT'

export interface ScoreEvent extends Accepted {
  /**
   * True if the record deletes the score. The row of a deletion is a tombstone with `timestampUs` and `name` in its key. A deletion writes
   * one record for each key that the table has for the score's id, and one record without a name. The record without a name also deletes
   * scores that are still on the log, because the newest row of an id wins even with a different key.
   */
  readonly deleted: boolean
  readonly id: string
  readonly name: string
  readonly source: ScoreSource
  readonly dataType: ScoreDataType
  /** The score's number: 0 or 1 for a boolean, the number of the category, or 0 for other scores. */
  readonly value: number
  /** The label of a category, a text, or "True" or "False". */
  readonly stringValue: string | null
  /** Text of a correction; empty for other scores. */
  readonly longStringValue: string
  readonly timestampUs: number
  readonly traceId: string | null
  readonly observationId: string | null
  readonly sessionId: string | null
  readonly datasetRunId: string | null
  readonly environment: string
  readonly comment: string | null
  /** JSON text as the client sent it. */
  readonly metadata: string | null
  readonly configId: string | null
  readonly queueId: string | null
  readonly authorUserId: string | null
  readonly executionTraceId: string | null
}

const codec = createRecordCodec<ScoreEvent>(scoreEventSchema, scoreEventHistory)

/** Avro single-object encoding. */
export const encodeScoreEvent = (event: ScoreEvent): Buffer => codec.encode(event)

/** Throws UndecodableRecord. */
export const decodeScoreEvent = (bytes: Uint8Array): ScoreEvent => codec.decode(bytes)

/** Returns the key for the topic. With this key, the records about a score stay in order. */
export const scoreKey = ({ projectId, id }: Pick<ScoreEvent, 'projectId' | 'id'>): string => `${projectId}/${id}`

// The record of `scores`: a score that was checked against its configuration, or the deletion of a score (contract §14.3).
import type { Accepted } from './accepted.ts'
import { scoreEventHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { scoreEventSchema } from './avro/records.ts'

type ScoreSource = 'API' | 'EVAL' | 'ANNOTATION'
type ScoreDataType = 'NUMERIC' | 'CATEGORICAL' | 'BOOLEAN' | 'CORRECTION' | 'TEXT'

export interface ScoreEvent extends Accepted {
  /**
   * If true, the row is a tombstone. The key of every row contains `timestampUs` and `name`. A deletion writes a record for each stored key
   * that contains the score's id. Records of the score that are still on the log could add more rows. The deletion therefore also writes a
   * record with an empty name. The row of this record is newer than all other rows of the id. Of all rows of an id, the newest row wins,
   * even if the keys differ.
   */
  readonly deleted: boolean
  readonly id: string
  readonly name: string
  readonly source: ScoreSource
  readonly dataType: ScoreDataType
  /** The number of the score: 0 or 1 for a boolean, the category's number for a category, and 0 if the score has no number. */
  readonly value: number
  /** The text of the score: "True" or "False" for a boolean, the label for a category, and the text for a text score. */
  readonly stringValue: string | null
  /** The text of a correction; empty for other scores. */
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

export const encodeScoreEvent = (event: ScoreEvent): Buffer => codec.encode(event)

/** Throws UndecodableRecord. */
export const decodeScoreEvent = (bytes: Uint8Array): ScoreEvent => codec.decode(bytes)

/** Returns the key of a score's records. All records of a score have the same key, so they stay in order. */
export const scoreKey = ({ projectId, id }: Pick<ScoreEvent, 'projectId' | 'id'>): string => `${projectId}/${id}`

// The record of `run.items`: one item of a dataset run, with a snapshot of its run and dataset item (contract §11.8). A dataset run
// is v3's kind of experiment. A run item adds its trace to its dataset run.
import type { Accepted } from './accepted.ts'
import { runItemHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { runItemSchema } from './avro/run-item-record.ts'

export interface RunItem extends Accepted {
  /** The row is a tombstone. */
  readonly deleted: boolean
  readonly id: string
  readonly datasetId: string
  readonly datasetRunId: string
  readonly datasetRunName: string
  readonly datasetRunDescription: string | null
  /** JSON text. */
  readonly datasetRunMetadata: string | null
  readonly datasetRunCreatedAtMs: number
  readonly datasetItemId: string
  /** The time that identifies a version of the dataset item. */
  readonly datasetItemVersionMs: number | null
  /** JSON text. */
  readonly datasetItemInput: string | null
  /** JSON text. */
  readonly datasetItemExpectedOutput: string | null
  /** JSON text. */
  readonly datasetItemMetadata: string | null
  readonly traceId: string
  /** Null if the item refers to the whole trace. */
  readonly observationId: string | null
  readonly error: string | null
  readonly createdAtMs: number
}

const codec = createRecordCodec<RunItem>(runItemSchema, runItemHistory)

export const encodeRunItem = (item: RunItem): Buffer => codec.encode(item)

/** Throws UndecodableRecord. */
export const decodeRunItem = (bytes: Uint8Array): RunItem => codec.decode(bytes)

/** All records of a run item have this key, so that they stay in order. */
export const runItemKey = ({ projectId, id }: Pick<RunItem, 'projectId' | 'id'>): string => `${projectId}/${id}`

// A run item among the staged spans of its trace. A run item gets no row: its fields are copied to the spans below its root (ADR 0026).
// Records of run items are small, so that all items of a trace can be read cheaply. Contents that would not fit into a filled record are
// omitted when the record is written.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { stagedRunItemHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { stagedRunItemSchema } from './avro/staged-run-item-record.ts'
import type { RunItem } from './run-item.ts'

/** Contents of an item. Only the row of the run item's root span gets the contents. Clients can send contents of any size. */
export interface RunItemContents {
  readonly runDescription: string | null
  /** JSON text, as are the next two fields. */
  readonly runMetadata: string | null
  readonly expectedOutput: string | null
  readonly itemMetadata: string | null
}

export interface StagedRunItem extends RunItemContents {
  readonly projectId: string
  readonly writeMode?: WriteMode | null
  readonly id: string
  /** The observation to which the item refers; null for the whole trace. */
  readonly rootId: string | null
  readonly createdAtMs: number
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  /** Time of the version of the dataset item. */
  readonly itemVersionMs: number | null
  /** Number of contents that were omitted because they are too large. */
  readonly cut: number
}

/** Maximum bytes of all contents of an item. The contents fit into a filled record together with the trace's attributes. */
export const maxRunItemBytes = 256 * 1024
/** Maximum bytes of the root's observation id, which a client can choose. */
export const maxRunItemRootBytes = 1024

const codec = createRecordCodec<StagedRunItem>(stagedRunItemSchema, stagedRunItemHistory)

/** Avro single-object encoding. */
export const encodeStagedRunItem = (item: StagedRunItem): Buffer => codec.encode(item)

/** Throws UndecodableRecord. */
export const decodeStagedRunItem = (bytes: Uint8Array): StagedRunItem => codec.decode(bytes)

/** True if the bytes are a staged run item. On spans.staging, run items are among spans and entities. */
export const isStagedRunItem = (bytes: Uint8Array): boolean => codec.knows(bytes)

/** If all contents together are too large, only the smaller ones are kept, because a large content is more likely to be a mistake. */
export function stagedRunItemOf(item: RunItem): StagedRunItem {
  const given: RunItemContents = {
    runDescription: item.datasetRunDescription,
    runMetadata: item.datasetRunMetadata,
    expectedOutput: item.datasetItemExpectedOutput,
    itemMetadata: item.datasetItemMetadata,
  }
  const sized = Object.entries(given).flatMap(([name, text]: [string, string | null]) =>
    text === null ? [] : [{ name, bytes: Buffer.byteLength(text) }],
  )
  let left = maxRunItemBytes
  const dropped = sized.sort((a, b) => a.bytes - b.bytes).filter(({ bytes }) => (left -= bytes) < 0)
  return {
    projectId: item.projectId,
    writeMode: item.writeMode ?? null,
    id: item.id,
    rootId: item.observationId,
    createdAtMs: item.createdAtMs,
    runId: item.datasetRunId,
    runName: item.datasetRunName,
    datasetId: item.datasetId,
    itemId: item.datasetItemId,
    itemVersionMs: item.datasetItemVersionMs,
    ...given,
    ...Object.fromEntries(dropped.map(({ name }) => [name, null])),
    cut: dropped.length,
  }
}

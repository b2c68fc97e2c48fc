// A run item among the staged spans of its trace. It gets no row: its fields are copied to the spans below its root (ADR 0026). Records are
// small, so that all items of a trace can be read cheaply. Contents that would not fit into a filled record are left out.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { stagedRunItemHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { stagedRunItemSchema } from './avro/staged-run-item-record.ts'
import type { RunItem } from './run-item.ts'

/** The contents of a run item. They can have any size, so they are stored only in the row of the root span. */
export interface RunItemContents {
  readonly runDescription: string | null
  /** JSON text, like the next two fields. */
  readonly runMetadata: string | null
  readonly expectedOutput: string | null
  readonly itemMetadata: string | null
}

export interface StagedRunItem extends RunItemContents {
  readonly projectId: string
  readonly writeMode?: WriteMode | null
  readonly id: string
  /** Null for the whole trace. */
  readonly rootId: string | null
  readonly createdAtMs: number
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  /** Time of the version of the dataset item. */
  readonly itemVersionMs: number | null
  /** Number of contents that were left out because they are too large. */
  readonly cut: number
}

/**
 * Maximum total bytes of a run item's contents. A filled record has room for the contents of one such item together with the trace's
 * attributes.
 */
export const maxRunItemBytes = 256 * 1024
/** Maximum bytes of the observation's id. Clients can choose this id. */
export const maxRunItemRootBytes = 1024

const codec = createRecordCodec<StagedRunItem>(stagedRunItemSchema, stagedRunItemHistory)

export const encodeStagedRunItem = (item: StagedRunItem): Buffer => codec.encode(item)

/** Throws UndecodableRecord. */
export const decodeStagedRunItem = (bytes: Uint8Array): StagedRunItem => codec.decode(bytes)

/** True for a run item. The topic spans.staging also contains spans and entities. */
export const isStagedRunItem = (bytes: Uint8Array): boolean => codec.knows(bytes)

/**
 * If all contents together are too large, the function leaves out the largest contents, because a large content is more likely to be a
 * mistake.
 */
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

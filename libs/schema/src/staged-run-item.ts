// A run item among the staged spans of its trace: it becomes no row, windows bring what it says to the spans
// below its root (ADR 0026). Kept small, so that reading all items of a trace costs little: contents that no
// filled record could take are left out where it is written.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { stagedRunItemHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { stagedRunItemSchema } from './avro/staged-run-item-record.ts'
import type { RunItem } from './run-item.ts'

/** What of an item stands in the row of its root alone: of any size, as clients make it. */
export interface RunItemContents {
  readonly runDescription: string | null
  /** JSON text, as the two below. */
  readonly runMetadata: string | null
  readonly expectedOutput: string | null
  readonly itemMetadata: string | null
}

export interface StagedRunItem extends RunItemContents {
  readonly projectId: string
  readonly writeMode?: WriteMode | null
  readonly id: string
  /** The observation that it is of; null: the whole trace. */
  readonly rootId: string | null
  readonly createdAtMs: number
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  /** Since when the dataset item was as it is here. */
  readonly itemVersionMs: number | null
  /** Contents that were too large to be here. */
  readonly cut: number
}

/** Bytes of all contents of an item: with what its trace says they are below what a filled record has room for. */
export const maxRunItemBytes = 256 * 1024
/** As of an id that a client gives an observation; a longer one is none that a span could have. */
export const maxRunItemRootBytes = 1024

const codec = createRecordCodec<StagedRunItem>(stagedRunItemSchema, stagedRunItemHistory)

/** Avro single-object encoding. */
export const encodeStagedRunItem = (item: StagedRunItem): Buffer => codec.encode(item)

/** Throws UndecodableRecord. */
export const decodeStagedRunItem = (bytes: Uint8Array): StagedRunItem => codec.decode(bytes)

/** True when the bytes are such a record: on spans.staging they lie among spans and entities. */
export const isStagedRunItem = (bytes: Uint8Array): boolean => codec.knows(bytes)

/** The smaller contents are kept first: the larger one of two is the likelier mistake. */
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

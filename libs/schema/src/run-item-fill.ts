// A run item to which the entity or spans of a record belong (ADR 0026). Only records of spans.filled contain a `RunItemFill`.
import type { RunItemContents } from './staged-run-item.ts'

export interface RunItemFill extends RunItemContents {
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  readonly itemVersionMs: number | null
  /** Only the row of the root span gets the item's contents. In records without the root span, the contents are null. */
  readonly rootSpanId: string
  /**
   * Indexes of the record's spans that belong to the item. Such a span is at or below the item's root. Null if all spans of the record
   * belong to the item.
   */
  readonly spans: readonly number[] | null
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text) + 1)

/** Approximate bytes that a run item adds to each row. */
export const runItemSpanBytes = ({ runId, runName, datasetId, itemId, rootSpanId }: RunItemFill): number =>
  [runId, runName, datasetId, itemId, rootSpanId].reduce((sum, text) => sum + bytesOf(text), 0)

/** Bytes that the contents add to the row of the root span. */
export const contentBytes = ({ runDescription, runMetadata, expectedOutput, itemMetadata }: RunItemContents): number =>
  bytesOf(runDescription) + bytesOf(runMetadata) + bytesOf(expectedOutput) + bytesOf(itemMetadata)

/** Returns how many bytes `items` adds to the rows of a record with `spanCount` spans. */
export const runItemBytes = (items: readonly RunItemFill[] | null | undefined, spanCount: number): number =>
  (items ?? []).reduce((sum, item) => sum + (item.spans?.length ?? spanCount) * runItemSpanBytes(item) + contentBytes(item), 0)

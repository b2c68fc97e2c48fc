// What a filled record says of the run items that its spans belong to (ADR 0026).
import type { RunItemContents } from './staged-run-item.ts'

export interface RunItemFill extends RunItemContents {
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  readonly itemVersionMs: number | null
  /** The span below which it is; contents go to the row of this one alone, and are null in records that do not have it. */
  readonly rootSpanId: string
  /** Which spans of the record are below it, by their place; null: all of them. */
  readonly spans: readonly number[] | null
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text) + 1)

/** What the row of each span takes for it, roughly. */
export const runItemSpanBytes = ({ runId, runName, datasetId, itemId, rootSpanId }: RunItemFill): number =>
  [runId, runName, datasetId, itemId, rootSpanId].reduce((sum, text) => sum + bytesOf(text), 0)

/** What the row of the root takes besides. */
export const contentBytes = ({ runDescription, runMetadata, expectedOutput, itemMetadata }: RunItemContents): number =>
  bytesOf(runDescription) + bytesOf(runMetadata) + bytesOf(expectedOutput) + bytesOf(itemMetadata)

/** Of the rows of a record with so many spans. */
export const runItemBytes = (items: readonly RunItemFill[] | null | undefined, spanCount: number): number =>
  (items ?? []).reduce((sum, item) => sum + (item.spans?.length ?? spanCount) * runItemSpanBytes(item) + contentBytes(item), 0)

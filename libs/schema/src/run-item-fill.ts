// The part of a filled record that describes the run items of its spans (ADR 0026).
import type { RunItemContents } from './staged-run-item.ts'

export interface RunItemFill extends RunItemContents {
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  readonly itemVersionMs: number | null
  /**
   * Root span of the run item. Only the root span's row gets the contents. Records without the root span have null instead of the contents.
   */
  readonly rootSpanId: string
  /** Indexes of the record's spans below the run item's root; null if all spans are below the root. */
  readonly spans: readonly number[] | null
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text) + 1)

/** Approximate bytes that a run item adds to each span's row. */
export const runItemSpanBytes = ({ runId, runName, datasetId, itemId, rootSpanId }: RunItemFill): number =>
  [runId, runName, datasetId, itemId, rootSpanId].reduce((sum, text) => sum + bytesOf(text), 0)

/** Additional bytes in the row of the root span. */
export const contentBytes = ({ runDescription, runMetadata, expectedOutput, itemMetadata }: RunItemContents): number =>
  bytesOf(runDescription) + bytesOf(runMetadata) + bytesOf(expectedOutput) + bytesOf(itemMetadata)

/** Bytes that run items add to the rows of a record with this many spans. */
export const runItemBytes = (items: readonly RunItemFill[] | null | undefined, spanCount: number): number =>
  (items ?? []).reduce((sum, item) => sum + (item.spans?.length ?? spanCount) * runItemSpanBytes(item) + contentBytes(item), 0)

// A filled record's part about the run items of its spans (ADR 0026).
import type { RunItemContents } from './staged-run-item.ts'

export interface RunItemFill extends RunItemContents {
  readonly runId: string
  readonly runName: string
  readonly datasetId: string
  readonly itemId: string
  readonly itemVersionMs: number | null
  /** Root span of the run item. Contents go only to this span's row, and are null in records without it. */
  readonly rootSpanId: string
  /** Indexes of the record's spans below the root. Null for all spans. */
  readonly spans: readonly number[] | null
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text) + 1)

/** Approximate bytes that a run item adds to each span's row. */
export const runItemSpanBytes = ({ runId, runName, datasetId, itemId, rootSpanId }: RunItemFill): number =>
  [runId, runName, datasetId, itemId, rootSpanId].reduce((sum, text) => sum + bytesOf(text), 0)

/** Additional bytes in the row of the root. */
export const contentBytes = ({ runDescription, runMetadata, expectedOutput, itemMetadata }: RunItemContents): number =>
  bytesOf(runDescription) + bytesOf(runMetadata) + bytesOf(expectedOutput) + bytesOf(itemMetadata)

/** Bytes in the rows of a record with this many spans. */
export const runItemBytes = (items: readonly RunItemFill[] | null | undefined, spanCount: number): number =>
  (items ?? []).reduce((sum, item) => sum + (item.spans?.length ?? spanCount) * runItemSpanBytes(item) + contentBytes(item), 0)

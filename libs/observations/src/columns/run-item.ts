// Finds the experiment values of a span that names no experiment itself. The values come from a run item, which applies to a whole trace,
// or to one observation and all spans below it (ADR 0026). The row of every span to which the item applies has the ids of the run and the
// item. Large values are only in the row of the item's root span, because only this row is read for experiments.
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import { jsonLeaves } from './metadata/json-leaves.ts'

/** A run item's value for each column. */
export interface RunItemCells {
  readonly experiment_id: string
  readonly experiment_name: string
  readonly experiment_description: string
  readonly experiment_dataset_id: string
  readonly experiment_item_id: string
  readonly experiment_item_expected_output: string
  readonly experiment_item_root_span_id: string
  /** Microseconds since the epoch. */
  readonly experiment_item_version: number | null
  readonly experiment_metadata_names: readonly string[]
  readonly experiment_metadata_values: readonly string[]
  readonly experiment_item_metadata_names: readonly string[]
  readonly experiment_item_metadata_values: readonly string[]
}

const nothing = { runDescription: null, runMetadata: null, expectedOutput: null, itemMetadata: null }

/** `spanId` must have the form in which the row stores span ids. */
export function runItemCells(item: RunItemFill, spanId: string): RunItemCells {
  const { runDescription, runMetadata, expectedOutput, itemMetadata } = spanId === item.rootSpanId ? item : nothing
  const run = jsonLeaves('experiment_metadata', runMetadata)
  const ofItem = jsonLeaves('experiment_item_metadata', itemMetadata)
  return {
    experiment_id: item.runId,
    experiment_name: item.runName,
    experiment_description: runDescription ?? '',
    experiment_dataset_id: item.datasetId,
    experiment_item_id: item.itemId,
    experiment_item_expected_output: expectedOutput ?? '',
    experiment_item_root_span_id: item.rootSpanId,
    experiment_item_version: item.itemVersionMs === null ? null : item.itemVersionMs * 1000,
    experiment_metadata_names: run.keys(),
    experiment_metadata_values: run.values(),
    experiment_item_metadata_names: ofItem.keys(),
    experiment_item_metadata_values: ofItem.values(),
  }
}

/** `index` is the span's position in the record. */
export type RunItemOf = (index: number) => RunItemFill | undefined

/** Returns null if no span belongs to an item. */
export function runItemsOf(items: readonly RunItemFill[] | null | undefined): RunItemOf | null {
  if (items === null || items === undefined || items.length === 0) return null
  const ofAll = items.find(({ spans }) => spans === null)
  const byPlace = new Map<number, RunItemFill>()
  for (const item of items) for (const place of item.spans ?? []) byPlace.set(place, item)
  return index => byPlace.get(index) ?? ofAll
}

// The table has one row per item of a dataset's run. The table is written in the write modes `legacy` and `dual`.
import { columnTypes } from '../events/columns.ts'
import { column, large, metadata, type OldTable, optionalText, optionalTime, text, time, versionColumns } from './table.ts'

const [createdAt, updatedAt, ...engineColumns] = versionColumns

const columns = [
  column('id', text),
  column('project_id', text),
  column('dataset_run_id', text),
  column('dataset_item_id', text),
  column('dataset_id', text),
  column('trace_id', text),
  column('observation_id', optionalText),
  column('error', optionalText),
  createdAt!,
  updatedAt!,
  column('dataset_run_name', text),
  column('dataset_run_description', optionalText),
  column('dataset_run_metadata', metadata),
  column('dataset_run_created_at', time),
  column('dataset_item_input', optionalText, large),
  column('dataset_item_expected_output', optionalText, large),
  column('dataset_item_metadata', metadata),
  ...engineColumns,
]

const orderBy = ['project_id', 'dataset_id', 'dataset_run_id', 'id']
const itemIndex = ['idx_dataset_item', 'dataset_item_id TYPE bloom_filter(0.001)'] as const

export const datasetRunItems: OldTable = {
  name: 'dataset_run_items_rmt',
  columns: [...columns, column('dataset_item_version', optionalTime)],
  indexes: [itemIndex, ['idx_trace_id', 'trace_id TYPE bloom_filter(0.001)']],
  orderBy,
}

/** v3's older table of run items. Migration 46 drops this table. */
export const supersededDatasetRunItems: OldTable = { name: 'dataset_run_items', columns, indexes: [itemIndex], orderBy }

export const datasetRunItemsTypes = columnTypes(columns)

// v3's table `dataset_run_items_rmt` has one row per item of a dataset run, and one tombstone per deletion (contract §11.8).
import { sourcesOf } from '@svc-server/modes/flows'
import { decodeRunItem, type RunItem } from '@svc-server/schema/run-item'
import type { Destination } from './destination.ts'
import type { RowEncoder } from './row-encoder.ts'

export const runItems: Destination = {
  table: 'dataset_run_items_rmt',
  sources: writeMode => sourcesOf('dataset_run_items_rmt', writeMode),
  key: [
    { sql: 'project_id', kind: 'repeated' },
    { sql: 'dataset_id', kind: 'repeated' },
    { sql: 'dataset_run_id', kind: 'repeated' },
    { sql: 'id', kind: 'text' },
  ],
  version: 'event_ts',
  monthOf: null,
  provenance: null,
  dependent: null,
  rules: { name: 'runItems', version: '1' },
  createEncoder,
}

/** The columns of a tombstone. */
const kept = ['project_id', 'dataset_id', 'dataset_run_id', 'id', 'trace_id'] as const

async function createEncoder(): Promise<RowEncoder> {
  const { datasetRunItemsColumns } = await import('@svc-server/schema/old-tables/columns')
  const { createSingleRowEncoder } = await import('./single-row-encoder.ts')
  const { metadataMap } = await import('./metadata-map.ts')

  const rowOf = (item: RunItem, appendedMs: number) => ({
    id: item.id,
    project_id: item.projectId,
    dataset_run_id: item.datasetRunId,
    dataset_item_id: item.datasetItemId,
    dataset_id: item.datasetId,
    trace_id: item.traceId,
    observation_id: item.observationId,
    error: item.error,
    created_at: item.createdAtMs,
    updated_at: appendedMs,
    dataset_run_name: item.datasetRunName,
    dataset_run_description: item.datasetRunDescription,
    dataset_run_metadata: metadataMap(item.datasetRunMetadata),
    dataset_run_created_at: item.datasetRunCreatedAtMs,
    dataset_item_input: item.datasetItemInput,
    dataset_item_expected_output: item.datasetItemExpectedOutput,
    dataset_item_metadata: metadataMap(item.datasetItemMetadata),
    event_ts: appendedMs,
    is_deleted: item.deleted ? 1 : 0,
    dataset_item_version: item.datasetItemVersionMs,
  })

  return createSingleRowEncoder(datasetRunItemsColumns, kept, ({ timestampMs, value }) => {
    const item = decodeRunItem(value)
    const { projectId, datasetId, datasetRunId, id } = item
    return { projectId, traceId: item.traceId, row: rowOf(item, timestampMs), key: [projectId, datasetId, datasetRunId, id] }
  })
}

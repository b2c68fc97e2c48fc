// The table has one row per score, in every write mode.
import { columnTypes } from '../events/columns.ts'
import { bounded, column, environment, metadata, type OldTable, optionalText, text, time, versionColumns } from './table.ts'

/** Columns that name the API key and the SDK that sent a row. Migrations 35 and 42 add the same columns to other tables. */
export const attribution = [
  column('ingestion_api_key', text, { default: "''" }),
  column('ingestion_sdk_name', bounded, { default: "'unknown'" }),
  column('ingestion_sdk_version', bounded, { default: "'unknown'" }),
]

const columns = [
  column('id', text),
  column('timestamp', time),
  column('project_id', text),
  environment,
  column('trace_id', optionalText),
  column('session_id', optionalText),
  column('dataset_run_id', optionalText),
  column('observation_id', optionalText),
  column('name', text),
  column('value', 'Float64'),
  column('source', text),
  column('comment', optionalText, { codec: 'ZSTD(1)' }),
  column('metadata', metadata),
  column('author_user_id', optionalText),
  column('config_id', optionalText),
  column('data_type', text),
  column('string_value', optionalText),
  column('queue_id', optionalText),
  ...versionColumns,
  column('execution_trace_id', optionalText),
  column('long_string_value', text, { codec: 'ZSTD(3)' }),
  ...attribution,
]

export const scores: OldTable = {
  name: 'scores',
  columns,
  indexes: [
    ['idx_id', 'id TYPE bloom_filter(0.001)'],
    ['idx_project_trace_observation', '(project_id, trace_id, observation_id) TYPE bloom_filter(0.001)'],
    ['idx_project_session', '(project_id, session_id) TYPE bloom_filter(0.001)'],
    ['idx_project_dataset_run', '(project_id, dataset_run_id) TYPE bloom_filter(0.001)'],
    ['idx_created_at', 'created_at TYPE minmax'],
  ],
  partitionBy: 'toYYYYMM(timestamp)',
  primaryTerms: 3,
  orderBy: ['project_id', 'toDate(timestamp)', 'name', 'id'],
}

export const scoresTypes = columnTypes(columns)

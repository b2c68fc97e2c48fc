// v3's table of traces, with one row per trace. The table is written in the write modes `legacy` and `dual`.
import { columnTypes } from '../events/columns.ts'
import { column, environment, large, metadata, type OldTable, optionalText, text, texts, time, versionColumns } from './table.ts'

const columns = [
  column('id', text),
  column('timestamp', time),
  column('name', text),
  column('user_id', optionalText),
  column('metadata', metadata),
  column('release', optionalText),
  column('version', optionalText),
  column('project_id', text),
  environment,
  column('public', 'Bool'),
  column('bookmarked', 'Bool'),
  column('tags', texts),
  column('input', optionalText, large),
  column('output', optionalText, large),
  column('session_id', optionalText),
  ...versionColumns,
]

export const traces: OldTable = {
  name: 'traces',
  columns,
  indexes: [
    ['idx_id', 'id TYPE bloom_filter(0.001)'],
    ['idx_res_metadata_key', 'mapKeys(metadata) TYPE bloom_filter(0.01)'],
    ['idx_res_metadata_value', 'mapValues(metadata) TYPE bloom_filter(0.01)'],
    ['idx_session_id', 'session_id TYPE bloom_filter()'],
    ['idx_user_id', 'user_id TYPE bloom_filter()'],
    ['idx_created_at', 'created_at TYPE minmax'],
  ],
  partitionBy: 'toYYYYMM(timestamp)',
  primaryTerms: 2,
  orderBy: ['project_id', 'toDate(timestamp)', 'id'],
}

export const tracesTypes = columnTypes(columns)

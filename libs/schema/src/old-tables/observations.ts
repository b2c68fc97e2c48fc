// v3's table of observations, with one row per observation. The table is written in the write modes `legacy` and `dual`.
import { columnTypes } from '../events/columns.ts'
import {
  bounded,
  column,
  cost,
  environment,
  large,
  metadata,
  type OldTable,
  optionalText,
  optionalTime,
  text,
  texts,
  time,
  usage,
  versionColumns,
} from './table.ts'

const identity = [column('id', text), column('trace_id', text), column('project_id', text)]

const what = [
  column('type', bounded),
  column('parent_observation_id', optionalText),
  column('start_time', time),
  column('end_time', optionalTime),
  column('name', text),
  column('metadata', metadata),
  column('level', bounded),
  column('status_message', optionalText),
  column('version', optionalText),
  column('input', optionalText, large),
  column('output', optionalText, large),
  column('provided_model_name', optionalText),
  column('internal_model_id', optionalText),
  column('model_parameters', optionalText),
  column('provided_usage_details', usage),
  column('usage_details', usage),
  column('provided_cost_details', cost),
  column('cost_details', cost),
  column('total_cost', 'Nullable(Decimal(18, 12))'),
  column('usage_pricing_tier_id', optionalText),
  column('usage_pricing_tier_name', optionalText),
]

const prompt = [
  column('completion_start_time', optionalTime),
  column('prompt_id', optionalText),
  column('prompt_name', optionalText),
  column('prompt_version', 'Nullable(UInt16)'),
]

const toolDefinitions = 'Map(String, String)'

const columns = [
  ...identity,
  environment,
  ...what,
  ...prompt,
  ...versionColumns,
  column('tool_definitions', toolDefinitions, { default: 'map()' }),
  column('tool_calls', texts, { default: '[]' }),
  column('tool_call_names', texts, { default: '[]' }),
]

export const observations: OldTable = {
  name: 'observations',
  columns,
  indexes: [
    ['idx_id', 'id TYPE bloom_filter()'],
    ['idx_trace_id', 'trace_id TYPE bloom_filter()'],
    ['idx_res_metadata_key', 'mapKeys(metadata) TYPE bloom_filter(0.01)'],
    ['idx_res_metadata_value', 'mapValues(metadata) TYPE bloom_filter(0.01)'],
    ['idx_created_at', 'created_at TYPE minmax'],
  ],
  partitionBy: 'toYYYYMM(start_time)',
  primaryTerms: 3,
  orderBy: ['project_id', 'type', 'toDate(start_time)', 'id'],
}

export const observationsTypes = columnTypes(columns)

/**
 * svc creates this table only because the shared list of migrations (ADR 0021) includes it. svc stores nothing in the table, because svc
 * stages spans on the log.
 */
export const observationsBatchStaging: OldTable = {
  name: 'observations_batch_staging',
  columns: [
    ...identity,
    ...what,
    column('tool_definitions', toolDefinitions),
    column('tool_calls', texts),
    column('tool_call_names', texts),
    ...prompt,
    ...versionColumns,
    column('s3_first_seen_timestamp', time),
    environment,
  ],
  indexes: [],
  partitionBy: 'toStartOfInterval(s3_first_seen_timestamp, INTERVAL 3 MINUTE)',
  primaryTerms: 2,
  orderBy: ['project_id', 'toDate(s3_first_seen_timestamp)', 'trace_id', 'id'],
  ttl: 's3_first_seen_timestamp + INTERVAL 48 HOUR',
  settings: { ttl_only_drop_parts: 1 },
}

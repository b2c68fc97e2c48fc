// Maps a row of v3 to a row of events_full (contract §§15.5, 15.7, 15.8). A column that is not listed keeps its default value.

/** SQL expressions by column name. */
export type Columns = Readonly<Record<string, string>>

const text = (column: string) => `ifNull(${column}, '')`
const time = (column: string) => `toDateTime64(${column}, 6, 'UTC')`
const optionalTime = (column: string) => `CAST(${column}, 'Nullable(DateTime64(6))')`

/** A text that begins with `{` and is a JSON object with at least one key has the type of an object. The merger has the same rule. */
const typeOfText = "if(startsWith(v, '{') AND JSONType(v) = 'Object' AND JSONLength(v) > 0, 3, 0)"

const metadataOf = (map: string): Columns => ({
  metadata_names: `mapKeys(${map})`,
  metadata_values: `mapValues(${map})`,
  metadata_types: `CAST(arrayMap(v -> ${typeOfText}, mapValues(${map})), 'Array(UInt8)')`,
})

const sourceOf = (map: string) => `if(mapContains(${map}, 'resourceAttributes'), 'otel-backfill', 'ingestion-api-backfill')`

/** SQL condition for rows that the backfill wrote. */
export const isBackfilled = "source IN ('otel-backfill', 'ingestion-api-backfill')"

const versions = (row: string): Columns => ({
  created_at: time(`${row}.created_at`),
  updated_at: time(`${row}.updated_at`),
  event_ts: time(`${row}.event_ts`),
  is_deleted: '0',
})

/** Columns of the virtual root of a trace. `t` is the trace's row. The merger writes the same columns (libs/entities, virtual-root). */
export const rootColumns: Columns = {
  project_id: 't.project_id',
  trace_id: 't.id',
  span_id: "concat('t-', t.id)",
  parent_span_id: "''",
  start_time: time('t.timestamp'),
  name: 't.name',
  type: "'SPAN'",
  environment: 't.environment',
  version: text('t.version'),
  release: text('t.release'),
  trace_name: 't.name',
  user_id: text('t.user_id'),
  session_id: text('t.session_id'),
  tags: 't.tags',
  level: "'DEFAULT'",
  bookmarked: 't.bookmarked',
  public: 't.public',
  model_parameters: "'{}'",
  input: text('t.input'),
  output: text('t.output'),
  ...metadataOf('t.metadata'),
  source: sourceOf('t.metadata'),
  ...versions('t'),
}

/** SQL for the parent of an observation `o`. `r` is the trace's root span from OTel, if the trace has one. */
export const parentOf = (observation: string, otelRoot?: string): string =>
  `coalesce(nullIf(${observation}.parent_observation_id, ''), ${otelRoot === undefined ? '' : `nullIf(if(${otelRoot} = ${observation}.id, '', ${otelRoot}), ''), `}concat('t-', ${observation}.trace_id))`

/**
 * Columns of an observation `o`. `t` is the observation's trace, and `r` is the trace's root span from OTel. If the trace has no row, `t`
 * has default values.
 */
export const childColumns: Columns = {
  project_id: 'o.project_id',
  trace_id: 'o.trace_id',
  span_id: 'o.id',
  parent_span_id: parentOf('o', 'r.span_id'),
  start_time: time('o.start_time'),
  end_time: optionalTime('o.end_time'),
  name: 'o.name',
  type: 'o.type',
  environment: 'o.environment',
  version: "coalesce(o.version, t.version, '')",
  release: text('t.release'),
  trace_name: 't.name',
  user_id: text('t.user_id'),
  session_id: text('t.session_id'),
  tags: 't.tags',
  level: 'o.level',
  status_message: text('o.status_message'),
  completion_start_time: optionalTime('o.completion_start_time'),
  public: 't.public',
  prompt_id: text('o.prompt_id'),
  prompt_name: text('o.prompt_name'),
  prompt_version: 'o.prompt_version',
  model_id: text('o.internal_model_id'),
  provided_model_name: text('o.provided_model_name'),
  model_parameters: "ifNull(o.model_parameters, '{}')",
  provided_usage_details: 'o.provided_usage_details',
  usage_details: 'o.usage_details',
  provided_cost_details: 'o.provided_cost_details',
  cost_details: 'o.cost_details',
  usage_pricing_tier_id: 'o.usage_pricing_tier_id',
  usage_pricing_tier_name: 'o.usage_pricing_tier_name',
  tool_definitions: 'o.tool_definitions',
  tool_calls: 'o.tool_calls',
  tool_call_names: 'o.tool_call_names',
  input: text('o.input'),
  output: text('o.output'),
  ...metadataOf('o.metadata'),
  source: sourceOf('o.metadata'),
  ...versions('o'),
}

/**
 * Columns of a lent root: the virtual root that the backfill writes for a trace without a row of its own in `traces`. The values come from
 * the trace's earliest observation `o`.
 */
export const lentRootColumns: Columns = {
  project_id: 'o.project_id',
  trace_id: 'o.trace_id',
  span_id: "concat('t-', o.trace_id)",
  parent_span_id: "''",
  start_time: time('o.start_time'),
  name: 'o.name',
  type: "'SPAN'",
  environment: 'o.environment',
  trace_name: 'o.name',
  level: "'DEFAULT'",
  model_parameters: "'{}'",
  source: "'ingestion-api-backfill'",
  ...versions('o'),
}

/** Experiment columns of a span. `i` is the span's run item. If the span has no run item, the columns have default values. */
export const experimentColumns: Columns = {
  experiment_id: 'i.dataset_run_id',
  experiment_name: 'i.dataset_run_name',
  experiment_description: text('i.dataset_run_description'),
  experiment_dataset_id: 'i.dataset_id',
  experiment_item_id: 'i.dataset_item_id',
  experiment_item_expected_output: text('i.dataset_item_expected_output'),
  experiment_item_version: optionalTime('i.dataset_item_version'),
  experiment_metadata_names: "CAST(mapKeys(i.dataset_run_metadata), 'Array(String)')",
  experiment_metadata_values: 'mapValues(i.dataset_run_metadata)',
  experiment_item_metadata_names: "CAST(mapKeys(i.dataset_item_metadata), 'Array(String)')",
  experiment_item_metadata_values: 'mapValues(i.dataset_item_metadata)',
}

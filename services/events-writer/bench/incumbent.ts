// Creates the events tables of the product that svc replaces (the incumbent). The drain bench compares svc's tables with these tables.
const texts = 'Array(String)'
const usage = 'Map(LowCardinality(String), UInt64)'
const cost = 'Map(LowCardinality(String), Decimal(18, 12))'

/** Lists every column whose type differs between the incumbent's tables and svc's tables, with its type in the incumbent's tables. */
const types: Readonly<Record<string, string>> = {
  project_id: 'String',
  provided_model_name: 'String',
  metadata_names: texts,
  provided_usage_details: usage,
  usage_details: usage,
  provided_cost_details: cost,
  cost_details: cost,
  service_name: 'String',
  service_version: 'String',
  scope_name: 'String',
  scope_version: 'String',
  telemetry_sdk_name: 'String',
  telemetry_sdk_version: 'String',
  ingestion_api_key: 'String',
}

interface Column {
  readonly name: string
  readonly type: string
}

const costOf = (condition: string) => `arraySum(mapValues(mapFilter((k, v) -> ${condition}, cost_details)))`
const input = "positionCaseInsensitive(k, 'input') > 0"
const output = "positionCaseInsensitive(k, 'output') > 0"

const derived = [
  `calculated_input_cost Decimal(18, 12) MATERIALIZED ${costOf(input)}`,
  `calculated_output_cost Decimal(18, 12) MATERIALIZED ${costOf(output)}`,
  `calculated_total_cost Decimal(18, 12) MATERIALIZED ${costOf(`${input} OR ${output}`)}`,
  "total_cost Decimal(18, 12) ALIAS cost_details['total']",
  'input_length UInt64 MATERIALIZED lengthUTF8(input)',
  'output_length UInt64 MATERIALIZED lengthUTF8(output)',
]

const bloom = (name: string, granularity = 1) => `INDEX b_${name} ${name} TYPE bloom_filter(0.01) GRANULARITY ${granularity}`
const minmax = (name: string) => `INDEX m_${name} ${name} TYPE minmax GRANULARITY 1`
const text = (name: string, expression: string) => `INDEX t_${name} ${expression} TYPE text(tokenizer = 'splitByNonAlpha')`
const ngrams = "INDEX n_values arrayStringConcat(metadata_values, ' ') TYPE ngrambf_v1(4, 32000, 3, 0) GRANULARITY 2"
const shared = [minmax('created_at'), minmax('updated_at'), text('values', 'metadata_values'), text('names', 'metadata_names'), ngrams]

const indexes = {
  events_full: [
    ...['span_id', 'trace_id', 'user_id', 'session_id'].map(name => bloom(name)),
    ...shared,
    text('input', 'lower(input)'),
    text('output', 'lower(output)'),
  ],
  events_core: [
    ...['span_id', 'trace_id', 'user_id', 'session_id', 'experiment_id', 'metadata_names'].map(name => bloom(name)),
    bloom('provided_model_name', 2),
    ...shared,
  ],
}

const settings = {
  events_full: 'index_granularity_bytes = 67108864, merge_max_block_size_bytes = 67108864, ',
  events_core: '',
}

/** Returns statements that create the incumbent's tables. The durability settings are those of svc, so that both systems do equal work. */
export function incumbentStatements(database: string, columns: readonly Column[]): string[] {
  const table = (name: 'events_full' | 'events_core') => {
    const codec = (column: string) => (name === 'events_full' && (column === 'input' || column === 'output') ? ' CODEC(ZSTD(3))' : '')
    const own = columns.map(column => `${column.name} ${types[column.name] ?? column.type}${codec(column.name)}`)
    return `CREATE TABLE ${database}.${name} (${[...own, ...derived, ...indexes[name]].join(', ')})
      ENGINE = ReplacingMergeTree(event_ts, is_deleted) PARTITION BY toYYYYMM(start_time)
      PRIMARY KEY (project_id, toStartOfMinute(start_time), xxHash32(trace_id))
      ORDER BY (project_id, toStartOfMinute(start_time), xxHash32(trace_id), span_id, start_time)
      SAMPLE BY xxHash32(trace_id)
      SETTINGS ${settings[name]}enable_block_number_column = 1, enable_block_offset_column = 1,
        non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`
  }
  const select = columns.map(({ name }) => {
    if (name === 'input' || name === 'output') return `leftUTF8(${name}, 200) AS ${name}`
    return name === 'metadata_values' ? `arrayMap(v -> leftUTF8(v, 200), ${name}) AS ${name}` : name
  })
  return [
    `CREATE DATABASE ${database}`,
    table('events_full'),
    table('events_core'),
    `CREATE MATERIALIZED VIEW ${database}.events_core_mv TO ${database}.events_core AS SELECT ${select.join(', ')} FROM ${database}.events_full`,
    `CREATE TABLE ${database}.discard (${columns.map(({ name, type }) => `${name} ${types[name] ?? type}`).join(', ')}) ENGINE = Null`,
  ]
}

/** The insert settings of the incumbent's client, except for the format. */
export const incumbentInsertSettings = {
  optimize_on_insert: 1,
  exclude_materialize_skip_indexes_on_insert: '',
  input_format_native_allow_types_conversion: 1,
} as const

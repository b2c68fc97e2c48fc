// The columns of events_full: the DDL, the view and the writer's Native blocks follow this list and its order.

/** `type` is the ClickHouse type in a Native block. */
export interface Column {
  readonly name: string
  readonly type: string
}

/** A column whose name and type are literal types. */
export interface TypedColumn<Name extends string, Type extends string> extends Column {
  readonly name: Name
  readonly type: Type
}

/** Maps columns to their ClickHouse types, from which TypeScript infers the types of rows. */
export type ColumnTypes<Columns extends Column> = { readonly [C in Columns as C['name']]: C['type'] }

export function columnTypes<C extends Column>(columns: readonly C[]): ColumnTypes<C>
export function columnTypes(columns: readonly Column[]): Readonly<Record<string, string>> {
  return Object.fromEntries(columns.map(({ name, type }) => [name, type]))
}

interface ColumnRule extends Column {
  readonly default?: string
  /** Codec in events_full. Columns of events_core have the server's default codec. */
  readonly codec?: string
}

const text = 'String'
// The type for columns with few distinct values. This type would save no space in a column of free text.
const bounded = 'LowCardinality(String)'
const time = 'DateTime64(6)'
const optionalTime = `Nullable(${time})` as const
const names = `Array(${bounded})` as const
const texts = 'Array(String)'
const usage = `Map(${bounded}, UInt64)` as const
const cost = `Map(${bounded}, Decimal(18, 12))` as const

const column = <const Name extends string, const Type extends string>(
  name: Name,
  type: Type,
  more: { default?: string; codec?: string } = {},
): ColumnRule & TypedColumn<Name, Type> => ({ name, type, ...more })

const rules = [
  column('project_id', text),
  column('trace_id', text),
  column('span_id', text),
  column('parent_span_id', text),
  column('start_time', time),
  column('end_time', optionalTime),
  column('name', text),
  column('type', bounded),
  column('environment', bounded, { default: "'default'" }),
  column('version', text),
  column('release', text),
  column('trace_name', text),
  column('user_id', text),
  column('session_id', text),
  column('tags', texts),
  column('level', bounded),
  column('status_message', text),
  column('completion_start_time', optionalTime),
  column('is_app_root', 'Bool', { default: 'false' }),
  column('bookmarked', 'Bool', { default: 'false' }),
  column('public', 'Bool', { default: 'false' }),
  column('prompt_id', text),
  column('prompt_name', text),
  column('prompt_version', 'Nullable(UInt16)'),
  column('model_id', text),
  column('provided_model_name', bounded),
  column('model_parameters', text),
  column('provided_usage_details', usage),
  column('usage_details', usage),
  column('provided_cost_details', cost),
  column('cost_details', cost),
  column('usage_pricing_tier_id', 'Nullable(String)'),
  column('usage_pricing_tier_name', 'Nullable(String)'),
  column('tool_definitions', 'Map(String, String)'),
  column('tool_calls', texts),
  column('tool_call_names', texts),
  column('input', text, { codec: 'ZSTD(1)' }),
  column('output', text, { codec: 'ZSTD(1)' }),
  column('metadata_names', names),
  column('metadata_values', texts),
  column('metadata_types', 'Array(UInt8)'),
  column('experiment_id', text),
  column('experiment_name', text),
  column('experiment_description', text),
  column('experiment_dataset_id', text),
  column('experiment_item_id', text),
  column('experiment_item_expected_output', text),
  column('experiment_item_root_span_id', text),
  column('experiment_item_version', optionalTime),
  column('experiment_metadata_names', texts),
  column('experiment_metadata_values', texts),
  column('experiment_item_metadata_names', texts),
  column('experiment_item_metadata_values', texts),
  column('source', bounded),
  column('service_name', bounded),
  column('service_version', bounded),
  column('scope_name', bounded),
  column('scope_version', bounded),
  column('telemetry_sdk_language', bounded),
  column('telemetry_sdk_name', bounded),
  column('telemetry_sdk_version', bounded),
  column('blob_storage_file_path', text),
  column('event_bytes', 'UInt64'),
  column('ingestion_api_key', bounded),
  column('ingestion_sdk_name', bounded, { default: "'unknown'" }),
  column('ingestion_sdk_version', bounded, { default: "'unknown'" }),
  column('created_at', time, { default: 'now64(6)' }),
  column('updated_at', time, { default: 'now64(6)' }),
  column('event_ts', time),
  column('is_deleted', 'UInt8'),
]

/** The columns, in the order in which the block of an insert contains them. */
export const eventsColumns: readonly Column[] = rules.map(({ name, type }) => ({ name, type }))

const costOf = (condition: string) => `arraySum(mapValues(mapFilter((k, v) -> ${condition}, cost_details)))`
const isInput = "positionCaseInsensitive(k, 'input') > 0"
const isOutput = "positionCaseInsensitive(k, 'output') > 0"

// With 18 digits, the sum of a dozen large costs would overflow, and the whole insert would fail.
const costSum = 'Decimal(38, 12)'

const derived = <const Name extends string, const Type extends string>(name: Name, type: Type, from: string) => ({ name, type, from })

/** The column store computes these columns, so an insert's block never contains them. */
const derivedColumns = [
  derived('calculated_input_cost', costSum, `MATERIALIZED ${costOf(isInput)}`),
  derived('calculated_output_cost', costSum, `MATERIALIZED ${costOf(isOutput)}`),
  derived('calculated_total_cost', costSum, `MATERIALIZED ${costOf(`${isInput} OR ${isOutput}`)}`),
  derived('total_cost', 'Decimal(18, 12)', "ALIAS cost_details['total']"),
  derived('input_length', 'UInt64', 'MATERIALIZED lengthUTF8(input)'),
  derived('output_length', 'UInt64', 'MATERIALIZED lengthUTF8(output)'),
]

/** All columns that queries can use, with their types. */
export const eventsTypes = columnTypes([...rules, ...derivedColumns])

// Stored times are in UTC, whatever the server's time zone. An insert can name the type without its zone, because the zone does not change
// the bytes.
const storedType = (type: string) => type.replaceAll(time, "DateTime64(6, 'UTC')")

export const columnDefinitions = (table: 'events_full' | 'events_core'): readonly string[] => [
  ...rules.map((rule: ColumnRule) => {
    const parts = [rule.name, storedType(rule.type)]
    if (rule.default !== undefined) parts.push(`DEFAULT ${rule.default}`)
    if (rule.codec !== undefined && table === 'events_full') parts.push(`CODEC(${rule.codec})`)
    return parts.join(' ')
  }),
  ...derivedColumns.map(({ name, type, from }) => `${name} ${type} ${from}`),
]

const cut = (name: string) => `leftUTF8(${name}, 200) AS ${name}`

/** SELECT list of the view that copies rows from events_full to events_core. The view cuts large texts to 200 characters. */
export const viewSelect: string = eventsColumns
  .map(({ name }) => {
    if (name === 'input' || name === 'output') return cut(name)
    if (name === 'metadata_values') return `arrayMap(v -> leftUTF8(v, 200), ${name}) AS ${name}`
    return name
  })
  .join(', ')

// The events tables, and the view that copies inserts from events_full to events_core. Indexes and merges cause two thirds of the engine's
// cost for a stored span. Costs in this file are milliseconds of engine CPU per 1,000 rows.
import type { Dialect } from '../dialect.ts'
import { columnDefinitions, viewSelect } from './columns.ts'

/** The sorting key defines the order of lists and identifies a row. */
export const eventsOrder: readonly string[] = ['project_id', 'start_time', 'xxHash32(trace_id)', 'span_id']

const bloom = 'bloom_filter(0.01) GRANULARITY 1'
const tokens = 'tokenbf_v1(65536, 3, 0) GRANULARITY 1'

/**
 * SQL that converts the metadata to texts of the form key=value. Equality filters compare these texts. Queries must use exactly this
 * expression, or the engine does not use the index.
 */
export const metadataPairs = "arrayMap((k, v) -> concat(k, '=', v), metadata_names, metadata_values)"

const metadataIndex = `i_kv ${metadataPairs} TYPE ${bloom}`

const fullIndexes = [
  `INDEX i_trace trace_id TYPE ${bloom}`,
  // The index lets the engine skip granules without the searched tokens. A text index would raise the cost of an insert from 37 ms to 84
  // ms, and of a merge from 37 ms to 86 ms.
  `INDEX s_input lower(input) TYPE ${tokens}`,
  `INDEX s_output lower(output) TYPE ${tokens}`,
]

const coreIndexes = [
  `INDEX i_trace trace_id TYPE ${bloom}`,
  `INDEX i_span span_id TYPE ${bloom}`,
  `INDEX i_user user_id TYPE ${bloom}`,
  `INDEX i_session session_id TYPE ${bloom}`,
  `INDEX i_exp experiment_id TYPE ${bloom}`,
  `INDEX i_keys metadata_names TYPE ${bloom}`,
  `INDEX ${metadataIndex}`,
]

type Settings = Readonly<Record<string, number | string>>

const common: Settings = {
  // With ten equal parts per merge instead of five, a row is merged 1.60 times on average instead of 2.53 times.
  merge_selector_base: 10,
  // Parts of 16 GiB are not merged again. Otherwise, a month's rows would be merged more and more often while the month's partition grows.
  max_bytes_to_merge_at_max_space_in_pool: 17179869184,
  vertical_merge_algorithm_min_rows_to_activate: 1,
  // Lightweight updates of `bookmarked` and `public` need these two columns.
  enable_block_number_column: 1,
  enable_block_offset_column: 1,
  auto_statistics_types: "''",
  merge_selector_enable_heuristic_to_lower_max_parts_to_merge_at_once: 0,
}

const fullSettings: Settings = {
  // Rows have several KB. Without this limit, the engine would read 8,192 rows to return one row.
  index_granularity_bytes: 4194304,
  merge_max_block_size_bytes: 16777216,
  // A new part in the compact format is one file instead of 339, and an insert costs 23 ms instead of 29 ms.
  min_bytes_for_wide_part: 268435456,
}

const coreSettings: Settings = { index_granularity: 2048, min_bytes_for_wide_part: 67108864 }

const list = (lines: readonly string[]) => lines.map(line => `  ${line}`).join(',\n')
const settingsText = (settings: Settings) => list(Object.entries(settings).map(([name, value]) => `${name} = ${value}`))

function createTable(dialect: Dialect, name: 'events_full' | 'events_core', indexes: readonly string[], settings: Settings): string {
  return `CREATE TABLE IF NOT EXISTS ${dialect.table(name)}${dialect.onCluster} (
${list([...columnDefinitions(name), ...indexes])}
)
ENGINE = ${dialect.replacing('event_ts', 'is_deleted')}
PARTITION BY toYYYYMM(start_time)
ORDER BY (${eventsOrder.join(', ')})
SETTINGS
${settingsText({ ...settings, ...common, ...dialect.durability })}`
}

export const createEventsFull = (dialect: Dialect): string => createTable(dialect, 'events_full', fullIndexes, fullSettings)

export const createEventsCore = (dialect: Dialect): string => createTable(dialect, 'events_core', coreIndexes, coreSettings)

/** Creates the view that copies inserts, but nothing else, from events_full to events_core. Updates and deletes must run on both tables. */
export const createEventsCoreView = (dialect: Dialect): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${dialect.table('events_core_mv')}${dialect.onCluster} TO ${dialect.table('events_core')}
AS SELECT ${viewSelect}
FROM ${dialect.table('events_full')}`

/** `parts` is the number of parts of similar size that cause a merge. */
const mergeAbout = (dialect: Dialect, table: 'events_full' | 'events_core', parts: string | number): string =>
  `ALTER TABLE ${dialect.table(table)}${dialect.onCluster} MODIFY SETTING merge_selector_base = ${parts}`

/**
 * With this setting, a merge of events_full needs twenty parts of similar size. By default, it needs ten parts. With twenty parts, inserts
 * and merges cost 165 ms; with ten parts, they cost 193 ms. Reads of events_full use the sorting key, so more parts hardly slow them down.
 * Merges, not inserts, build the indexes for text searches. Until a merge has indexed a part, text searches scan the part, but other reads
 * do not. For events_core, ten parts still cause a merge, because lists read this table and would otherwise read more parts.
 */
export const mergeEventsFullLater = (dialect: Dialect): string => mergeAbout(dialect, 'events_full', 20)

export const mergeEventsFullAsMade = (dialect: Dialect): string => mergeAbout(dialect, 'events_full', common['merge_selector_base']!)

/**
 * With these settings, merges rewrite a row of events_core a third less often, and a row of events_full a quarter less often. A query for a
 * list then reads about 14 parts of events_core instead of ten. If there are more parts, the merge selector lowers `merge_selector_base`.
 * Fewer parts of similar size then cause a merge, so the number of parts does not grow further.
 */
export const mergeEventsLater = (dialect: Dialect): readonly string[] => [
  mergeAbout(dialect, 'events_full', 40),
  mergeAbout(dialect, 'events_core', 20),
]

export const mergeEventsAsBefore = (dialect: Dialect): readonly string[] => [
  mergeAbout(dialect, 'events_core', common['merge_selector_base']!),
  mergeEventsFullLater(dialect),
]

/** Existing parts get the index at their next merge. */
export const addMetadataIndex = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('events_core')}${dialect.onCluster} ADD INDEX IF NOT EXISTS ${metadataIndex}`

export const dropMetadataIndex = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('events_core')}${dialect.onCluster} DROP INDEX IF EXISTS i_kv`

// Creates a v3 store of any size inside the column store. The statements compute all values from numbers and hashes, so equal options give
// equal rows. The data resembles an installation after several years of use. Projects and traces have all sizes, and some traces span
// several months. Rows have several versions. Some traces were moved to an earlier time, and some rows were deleted. Some traces have
// observations, but no row in `traces`. Some spans have no known parent. Run items refer to whole traces, to root spans, to spans below a
// root, and to spans that do not exist.

export interface V3StoreOptions {
  /** Approximate number of rows, including rows with duplicate keys. */
  readonly observations: number
  readonly traces: number
  readonly runItems: number
  /** Time in milliseconds since the epoch. All rows were created and last changed before this time. */
  readonly endMs: number
  /** Number of calendar months in which traces begin. */
  readonly months?: number
  /** Id of the project that has nearly half of all data. */
  readonly projectId?: string
  readonly tinyProjects?: number
  readonly seed?: number
}

const day = 86_400_000
/** Number of rows per statement. */
const rowsAtOnce = 250_000
const hugeTraces = 5
/** Each huge trace has this share of all observations. */
const hugeShare = 1 / 250

const words =
  'the a model answers question tool call returns user asks weather city agent plans step retry token stream prompt context document chunk vector score latency error budget policy summary table row key value'

/** Returns SQL for a pseudorandom number. The number depends only on the arguments. */
const hash = (seed: number, salt: string, ...of: readonly string[]) => `cityHash64(${[...of, `'${salt} ${seed}'`].join(', ')})`
const millis = (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}))`
const prose = (length: string, ...of: readonly string[]) =>
  `arrayStringConcat(arrayMap(w -> splitByChar(' ', '${words}')[1 + cityHash64(w, ${of.join(', ')}) % ${words.split(' ').length}], range(toUInt32(${length}))), ' ')`

const metadata = (at: string) => `CAST(multiIf(
    ${at} % 5 = 0, map(),
    ${at} % 5 = 1, map('resourceAttributes', '{"service.name":"shop"}', 'step', toString(${at} % 97)),
    ${at} % 5 = 2, map('tenant', concat('tenant ', toString(${at} % 41)), 'settings', '{"depth":3,"tools":["search"]}'),
    ${at} % 5 = 3, map('empty', '{}', 'list', '[1,2]', 'broken', '{"x'),
    map('note', 'grüße ✓')), 'Map(LowCardinality(String), String)')`

/** Returns the beginning of a range of `months` calendar months. The last month of the range contains `endMs`. */
function beginOf(endMs: number, months: number): number {
  const end = new Date(endMs)
  return Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - (months - 1), 1)
}

/**
 * Returns INSERT statements, which must run in this order on schema 37 or later. Inserting five million observations takes one or two
 * minutes on two cores.
 */
export function v3Store(options: V3StoreOptions): readonly string[] {
  const { observations, traces, runItems, endMs, months = 14, projectId = 'huge', tinyProjects = 500, seed = 1 } = options
  const beginMs = beginOf(endMs, months)
  const spanMs = endMs - beginMs
  const h = (salt: string, ...of: readonly string[]) => hash(seed, salt, ...of)
  const before = (ms: string) => millis(`least(${ms}, ${endMs - 1_000})`)

  const huge = Math.max(1, Math.floor(observations * hugeShare))
  const each = Math.max(0, (observations - hugeTraces * huge) / Math.max(1, traces - hugeTraces))
  /** Columns that have the same value in all rows of trace `t`. */
  const ofTrace = `
    lower(hex(sipHash128(t, '${seed}'))) AS trace_id,
    multiIf(t % 1000 < ${hugeTraces} OR ${h('project', 't')} % 100 < 45, '${projectId}', ${h('project', 't')} % 100 < 65, 'large', ${h('project', 't')} % 100 < 80, 'middle',
      concat('tiny''s \\\\ ', toString(${h('tiny', 't')} % ${tinyProjects}))) AS project_id,
    toInt64(${beginMs} + intDiv(t * ${spanMs}, ${traces}) + ${h('jitter', 't')} % ${Math.max(1, Math.floor(spanMs / traces))}) AS began_ms,
    multiIf(t % 100 = 3, ['absent'], t % 25 = 4, ['updated'], t % 100 = 5, ['moved'], t % 100 = 6, ['deleted'], []) AS kinds`

  const traceColumns =
    'id, project_id, timestamp, name, user_id, session_id, version, release, tags, public, bookmarked, environment, metadata, input, output, created_at, updated_at, event_ts, is_deleted'
  const traceRows = (first: number, count: number, kind: string, moreMs: number) => {
    const later = kind === '' ? '' : `, '${kind}'`
    const timestamp = kind === 'moved' ? `began_ms - ${3 * day}` : 'began_ms'
    return `INSERT INTO traces (${traceColumns})
SELECT trace_id, project_id, ${millis(timestamp)}, concat('flow ', toString(t % 37)${kind === '' ? '' : `, ' ${kind}'`}),
  if(${h('user', 't')} % 3 = 0, NULL, concat('user ', toString(${h('user', 't')} % 5000))), if(${h('session', 't')} % 2 = 0, NULL, concat('session ', toString(intDiv(t, 7)))),
  if(t % 2 = 0, NULL, 'v1.4'), if(t % 3 = 0, NULL, 'r7'), if(t % 4 = 0, [], ['prod', concat('team ', toString(t % 11))]), t % 30 = 0, t % 50 = 1, if(t % 9 = 0, 'staging', 'default'),
  ${metadata(h('metadata', 't'))}, if(t % 6 = 0, NULL, ${prose(`20 + ${h('input', 't')} % 60`, 't', `'i'`)}),
  if(t % 7 = 0, NULL, ${prose(`20 + ${h('output', 't')} % 60`, 't', `'o'${later}`)}),
  ${millis('began_ms')}, ${before(`began_ms + ${moreMs}`)}, ${before(`began_ms + ${moreMs}`)}, ${kind === 'deleted' ? 1 : 0}
FROM (SELECT number AS t, ${ofTrace} FROM numbers(${first}, ${count}))
WHERE ${kind === '' ? `NOT has(kinds, 'absent')` : `has(kinds, '${kind}')`}`
  }

  /** Some span ids equal the id of their trace. */
  const spanId = (k: string) => `if(t % 50 = 9 AND ${k} = 3, trace_id, lower(hex(${h('span', 't', k)})))`
  const parent = `multiIf(k = 0, if(t % 2 = 0, NULL, ''), ${h('orphan', 't', 'k')} % 200 = 0, 'unknown', t % 500 = 7, ${spanId('(k - 1)')}, ${spanId('intDiv(k - 1, 3)')})`
  const observationColumns = `id, trace_id, project_id, environment, type, parent_observation_id, start_time, end_time, name, metadata, level, status_message, version, input, output,
  provided_model_name, internal_model_id, model_parameters, provided_usage_details, usage_details, provided_cost_details, cost_details, total_cost, prompt_id, prompt_name, prompt_version,
  completion_start_time, created_at, updated_at, tool_calls, tool_call_names, event_ts, is_deleted`
  const observationRows = (first: number, count: number, kind: '' | 'updated' | 'deleted', moreMs: number) => {
    const only = { '': '1', updated: `${h('again', 't', 'k')} % 33 = 0`, deleted: `${h('again', 't', 'k')} % 100 = 1` }[kind]
    return `INSERT INTO observations (${observationColumns})
WITH ${h('row', 't', 'k')} AS r, r % 3 = 0 AS is_generation, began_ms + toInt64(k) * if(t % 20 = 8, intDiv(${40 * day}, toInt64(spans) + 1), r % 4000) AS started_ms
SELECT ${spanId('k')}, trace_id, project_id, if(t % 9 = 0, 'staging', 'default'), multiIf(is_generation, 'GENERATION', r % 11 = 1, 'EVENT', r % 13 = 1, 'TOOL', 'SPAN'), ${parent},
  ${before('started_ms')} AS began, if(r % 17 = 0, NULL, ${before('started_ms + r % 20000')}), concat('step ', toString(k % 23)), ${metadata('r')}, if(r % 40 = 0, 'ERROR', 'DEFAULT'),
  if(r % 40 = 0, 'it failed', NULL), if(r % 5 = 0, 'v2', NULL), if(r % 19 = 0, NULL, ${prose('if(is_generation, 60, 10) + r % 40', 't', 'k', `'i'`)}),
  ${kind === 'updated' ? `'updated'` : `if(r % 23 = 0, NULL, ${prose('if(is_generation, 40, 8) + r % 30', 't', 'k', `'o'`)})`},
  if(is_generation, 'model-large', NULL), if(is_generation, 'clx7m0', NULL), if(is_generation, '{"temperature":0.2}', NULL),
  usage AS provided_usage_details, usage, cost AS provided_cost_details, cost, NULL, if(r % 29 = 0, 'prompt-1', NULL), if(r % 29 = 0, 'greeting', NULL), if(r % 29 = 0, toUInt16(r % 9), NULL),
  if(is_generation, began, NULL), began, ${before(`started_ms + ${moreMs}`)}, if(r % 31 = 0, ['{"id":"call_1"}'], []), if(r % 31 = 0, ['search'], []), ${before(`started_ms + ${moreMs}`)}, ${kind === 'deleted' ? 1 : 0}
FROM (
  SELECT *, k, CAST(if(${h('row', 't', 'k')} % 3 = 0, map('input', t % 900, 'output', k % 700), map()), 'Map(LowCardinality(String), UInt64)') AS usage,
    CAST(if(${h('row', 't', 'k')} % 3 = 0, map('input', toDecimal64(0.0001, 12), 'total', toDecimal64(0.0003, 12)), map()), 'Map(LowCardinality(String), Decimal(18, 12))') AS cost
  FROM (SELECT number AS t, ${ofTrace}, if(t < ${hugeTraces}, ${huge}, toUInt64(floor(${2 * each} * (${h('spans', 't')} % 10000) / 10000 + 0.5))) AS spans FROM numbers(${first}, ${count}))
  ARRAY JOIN range(spans) AS k
) WHERE ${only} SETTINGS max_block_size = 2000`
  }

  const itemTraces = Math.max(1, Math.floor(Math.min(traces, runItems * 0.7)))
  const items = (
    first: number,
    count: number,
  ) => `INSERT INTO dataset_run_items_rmt (id, project_id, dataset_run_id, dataset_item_id, dataset_id, trace_id, observation_id, created_at, updated_at,
  dataset_run_name, dataset_run_description, dataset_run_metadata, dataset_run_created_at, dataset_item_input, dataset_item_expected_output, dataset_item_metadata, event_ts, is_deleted)
SELECT concat('item-', toString(n)), project_id, concat('run-', toString(n % 90)), concat('dataset item ', toString(n % 300)), concat('dataset-', toString(n % 9)), trace_id,
  multiIf(n % 4 = 0, NULL, n % 9 = 1, '', n % 40 = 2, 'missing', n % 3 = 1, ${spanId('0')}, ${spanId('2')}), made, made, concat('run ', toString(n % 90)), if(n % 2 = 0, NULL, 'nightly'),
  CAST(if(n % 3 = 0, map(), map('commit', toString(n % 90))), 'Map(LowCardinality(String), String)'), made, 'question', if(n % 5 = 0, NULL, 'expected'),
  CAST(if(n % 4 = 0, map(), map('difficulty', 'hard')), 'Map(LowCardinality(String), String)'), made, n % 200 = 17
FROM (SELECT *, ${before(`began_ms + ${h('item', 'n')} % ${5 * day}`)} AS made, ${ofTrace} FROM (
  SELECT number AS n, ${h('trace of', 'number')} % ${itemTraces} * ${Math.floor(traces / itemTraces)} AS t FROM numbers(${first}, ${count})))`

  const slices = (total: number, atOnce: number): readonly (readonly [first: number, count: number])[] =>
    Array.from({ length: Math.ceil(total / atOnce) }, (_, at) => [at * atOnce, Math.min(atOnce, total - at * atOnce)])
  const bySpans = slices(traces, Math.max(1, Math.floor(rowsAtOnce / Math.max(1, each))))
  return [
    ...['', 'updated', 'moved', 'deleted'].flatMap((kind, at) =>
      slices(traces, rowsAtOnce).map(([first, count]) => traceRows(first, count, kind, 4_000 + at * 5_000)),
    ),
    ...(['', 'updated', 'deleted'] as const).flatMap((kind, at) =>
      bySpans.map(([first, count]) => observationRows(first, count, kind, 30_000 + at * 7_000)),
    ),
    ...slices(runItems, rowsAtOnce).map(([first, count]) => items(first, count)),
  ]
}

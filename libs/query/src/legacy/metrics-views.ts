// Views of metrics v1 on the v3 tables (contract §20.7).
import { perSecond } from '../fields/expressions.ts'
import { conditionSql } from '../filter/sql.ts'
import { booleanScores, categoricalScores, numericScores } from '../metrics/scores-view.ts'
import { count, type Dimension, type Join, type Measure, type RowsOf, type View } from '../metrics/view.ts'
import { newestScores, observationScoreCounts, subject } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { field, numberField } from '../sql/field.ts'
import { newestIn, type Source, select } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { legacySql, metadataColumn } from './conditions.ts'
import { attributesOfTraces, firstTokenMs, latencyMs } from './observation-columns.ts'
import { o, observations, orEmpty, t, traces } from './tables.ts'
import { amounts, totals } from './totals.ts'

const text = (name: string, expression: Sql, join?: Join): Dimension => ({ name, kind: 'text', sql: expression, ...(join && { join }) })
const numeric = (name: string, expression: Sql, join?: Join): Measure => ({ name, numeric: true, sql: expression, ...(join && { join }) })
const distinct = (name: string, expression: Sql): Measure => ({ name, numeric: false, sql: sql`nullIf(${expression}, '')` })
const month = (time: Sql): Sql => sql`formatDateTime(${time}, '%Y-%m', 'UTC')`

function scoreCounts(project: string): Sql {
  const time = { everyTime: 'Scores of a trace may have any time' }
  const fields = { trace: subject.trace, scores: numberField(sql`count()`) }
  return select(newestScores(project, time, [sql`${subject.trace.sql} != ''`]), fields, { groupBy: [sql`trace`] }).sql
}

const tracesView: View = {
  dimensions: [
    ...[text('id', t.id.sql), text('name', t.name.sql), text('userId', orEmpty(t.user_id)), text('sessionId', orEmpty(t.session_id))],
    ...[text('release', orEmpty(t.release)), text('version', orEmpty(t.version)), text('environment', t.environment.sql)],
    { name: 'tags', kind: 'list', sql: t.tags.sql },
    text('timestampMonth', month(t.timestamp.sql)),
  ],
  measures: [
    count,
    numeric('observationsCount', sql`m.observations`, 'observation'),
    numeric('scoresCount', sql`s.scores`, 'scores'),
    distinct('uniqueUserIds', orEmpty(t.user_id)),
    distinct('uniqueSessionIds', orEmpty(t.session_id)),
    numeric('latency', sql`if(m.observations = 0, NULL, m.latency_ms)`, 'observation'),
    numeric('totalTokens', sql`m.total_tokens`, 'observation'),
    numeric('totalCost', sql`m.total_cost`, 'observation'),
  ],
  time: { column: 'timestamp', sql: t.timestamp.sql, us: t.timestamp.selected },
  metadata: metadataColumn,
  source({ project, from, to, joins, conditions, where }) {
    const source = newestIn(traces, { project, time: { from, to } })
    const ofObservations = sql` LEFT JOIN (${totals(project).sql}) AS m ON m.trace = ${t.id.sql}`
    const ofScores = sql` LEFT JOIN (${scoreCounts(project)}) AS s ON s.trace = ${t.id.sql}`
    const reading = { project, metadata: t.metadata.sql, trace: t.id.sql }
    return {
      from: sql`${source.from}${joins.has('observation') ? ofObservations : sql``}${joins.has('scores') ? ofScores : sql``}`,
      conditions: [...source.conditions, ...conditions.map(condition => legacySql(condition, reading)), ...where],
    }
  },
}

const exploded = (name: string, list: Sql): Dimension => ({ name, kind: 'text', sql: list, exploded: list })
const toolNames = sql`mapKeys(${o.tool_definitions.sql})`
const totalTokens = sql`${o.usage_details.sql}['total']`
const outputTokens = amounts(o.usage_details.sql, 'output')
const streamingMs = sql`(toUnixTimestamp64Milli(${o.end_time.sql}) - toUnixTimestamp64Milli(${o.completion_start_time.sql}))`

const observationsView: View = {
  dimensions: [
    ...[text('id', o.id.sql), text('traceId', o.trace_id.sql), text('traceName', sql`r.name`, 'trace')],
    ...[text('environment', o.environment.sql), text('parentObservationId', orEmpty(o.parent_observation_id))],
    ...[text('type', o.type.sql), text('name', o.name.sql), text('level', o.level.sql), text('version', orEmpty(o.version))],
    { name: 'tags', kind: 'list', sql: sql`r.tags`, join: 'trace' },
    ...[text('providedModelName', orEmpty(o.provided_model_name)), text('promptName', orEmpty(o.prompt_name))],
    { name: 'promptVersion', kind: 'number', sql: o.prompt_version.sql },
    ...[text('userId', sql`r.user_id`, 'trace'), text('sessionId', sql`r.session_id`, 'trace')],
    ...[text('traceRelease', sql`r.release`, 'trace'), text('traceVersion', sql`r.version`, 'trace')],
    text('startTimeMonth', month(o.start_time.sql)),
    ...[exploded('toolNames', toolNames), exploded('calledToolNames', o.tool_call_names.sql)],
  ],
  measures: [
    count,
    ...[numeric('latency', latencyMs), numeric('streamingLatency', streamingMs), numeric('timeToFirstToken', firstTokenMs)],
    ...[
      numeric('inputTokens', amounts(o.usage_details.sql, 'input')),
      numeric('outputTokens', outputTokens),
      numeric('totalTokens', totalTokens),
    ],
    ...[
      numeric('outputTokensPerSecond', perSecond(outputTokens, streamingMs)),
      numeric('tokensPerSecond', perSecond(totalTokens, latencyMs)),
    ],
    ...[numeric('inputCost', amounts(o.cost_details.sql, 'input')), numeric('outputCost', amounts(o.cost_details.sql, 'output'))],
    numeric('totalCost', sql`${o.cost_details.sql}['total']`),
    numeric('countScores', sql`s.scores`, 'scores'),
    ...[
      numeric('toolDefinitions', sql`nullIf(length(${toolNames}), 0)`),
      numeric('toolCalls', sql`nullIf(length(${o.tool_calls.sql}), 0)`),
    ],
  ],
  time: { column: 'start_time', sql: o.start_time.sql, us: o.start_time.selected },
  metadata: metadataColumn,
  source({ project, from, to, joins, conditions, where }) {
    const source = newestIn(observations, { project, time: { from, to } })
    const ofTrace = sql` LEFT JOIN (${attributesOfTraces(project).sql}) AS r ON r.id = ${o.trace_id.sql}`
    const ofScores = sql` LEFT JOIN (${observationScoreCounts(project).sql}) AS s ON s.trace = ${o.trace_id.sql} AND s.observation = ${o.id.sql}`
    const reading = { project, metadata: o.metadata.sql, trace: o.trace_id.sql }
    return {
      from: sql`${source.from}${joins.has('trace') ? ofTrace : sql``}${joins.has('scores') ? ofScores : sql``}`,
      conditions: [...source.conditions, ...conditions.map(condition => legacySql(condition, reading)), ...where],
    }
  },
}

/** Selects the attributes of observations by which scores can be grouped. */
function attributesOfObservations(project: string): Sql {
  const time = { everyTime: 'An observation is counted at any time' }
  const newest = (expression: Sql) => field(sql`argMax(${expression}, ${o.event_ts.sql})`, String)
  const fields = {
    ...{ trace: field(o.trace_id.sql, String), observation: field(o.id.sql, String), name: newest(o.name.sql) },
    ...{ model: newest(orEmpty(o.provided_model_name)), prompt_name: newest(orEmpty(o.prompt_name)) },
    // Without the tuple, argMax would ignore the newest row if that row had no prompt version. argMax does not ignore a tuple that contains
    // null.
    prompt_version: newest(sql`tuple(${o.prompt_version.sql})`),
  }
  const rows = select(newestIn(observations, { project, time }), fields, { groupBy: [sql`trace`, sql`observation`] })
  return sql`SELECT * REPLACE (prompt_version.1 AS prompt_version) FROM (${rows.sql})`
}

function scoreRows(types: readonly string[], { project, from, to, joins, conditions, where }: RowsOf): Source {
  const source = newestScores(project, { from, to }, [sql`${scores.columns.data_type.sql} IN ${value('Array(String)', types)}`])
  const attributes = sql`SELECT *, name AS trace_name FROM (${attributesOfTraces(project).sql})`
  const trace = sql` LEFT JOIN (${attributes}) AS r ON r.id = ${subject.trace.sql}`
  const own = sql` LEFT JOIN (${attributesOfObservations(project)}) AS o ON o.trace = ${subject.trace.sql} AND o.observation = ${subject.observation.sql}`
  return {
    from: sql`${source.from}${joins.has('trace') ? trace : sql``}${joins.has('observation') ? own : sql``}`,
    conditions: [...source.conditions, ...conditions.map(condition => conditionSql(condition, { project, cut: false })), ...where],
  }
}

/** Changes a view of metrics v2 so that it reads the v3 tables, which have no experiments. */
const scoresView = (view: View, types: readonly string[]): View => ({
  ...view,
  dimensions: view.dimensions.filter(({ name }) => !name.startsWith('experiment')),
  source: rows => scoreRows(types, rows),
})

export const legacyViews: Readonly<Record<string, View>> = {
  traces: tracesView,
  observations: observationsView,
  'scores-numeric': scoresView(numericScores, ['NUMERIC', 'BOOLEAN']),
  'scores-boolean': scoresView(booleanScores, ['BOOLEAN']),
  'scores-categorical': scoresView(categoricalScores, ['CATEGORICAL']),
}

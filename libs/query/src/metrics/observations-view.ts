import { metadataField } from '../fields/catalog.ts'
import { e, eventsCore, eventsFull } from '../fields/events.ts'
import * as of from '../fields/expressions.ts'
import { conditionSql, isExactOnCore } from '../filter/sql.ts'
import { observationScoreCounts } from '../scores/named.ts'
import { newestIn } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { count, type Dimension, type Measure, type View } from './view.ts'

const text = (name: string, column: { readonly sql: Sql }): Dimension => ({ name, kind: 'text', sql: column.sql })
const high = (name: string, column: { readonly sql: Sql }): Dimension => ({ ...text(name, column), high: true })
const exploded = (name: string, list: Sql): Dimension => ({ name, kind: 'text', sql: list, exploded: list })

const toolNames = sql`mapKeys(${e.tool_definitions.sql})`

const dimensions: readonly Dimension[] = [
  text('environment', e.environment),
  text('type', e.type),
  text('name', e.name),
  text('level', e.level),
  text('version', e.version),
  { name: 'tags', kind: 'list', sql: e.tags.sql },
  text('release', e.release),
  { name: 'traceName', kind: 'text', sql: of.traceName },
  text('traceRelease', e.release),
  text('traceVersion', e.version),
  text('providedModelName', e.provided_model_name),
  text('promptName', e.prompt_name),
  { name: 'promptVersion', kind: 'number', sql: e.prompt_version.sql },
  { name: 'isRootObservation', kind: 'boolean', sql: of.isRoot },
  { name: 'startTimeMonth', kind: 'text', sql: sql`formatDateTime(${e.start_time.sql}, '%Y-%m', 'UTC')` },
  exploded('toolNames', toolNames),
  exploded('calledToolNames', e.tool_call_names.sql),
  { ...exploded('costType', sql`mapKeys(${e.cost_details.sql})`), elements: true },
  { ...exploded('usageType', sql`mapKeys(${e.usage_details.sql})`), elements: true },
  high('id', e.span_id),
  high('traceId', e.trace_id),
  high('userId', e.user_id),
  high('sessionId', e.session_id),
  high('parentObservationId', e.parent_span_id),
  high('experimentName', e.experiment_name),
  high('experimentDatasetId', e.experiment_dataset_id),
  high('experimentId', e.experiment_id),
]

const numeric = (name: string, expression: Sql): Measure => ({ name, numeric: true, sql: expression })
const distinct = (name: string, column: { readonly sql: Sql }): Measure => ({ name, numeric: false, sql: sql`nullIf(${column.sql}, '')` })

const totalTokens = sql`${e.usage_details.sql}['total']`

const measures: readonly Measure[] = [
  count,
  distinct('traceId', e.trace_id),
  distinct('uniqueUserIds', e.user_id),
  distinct('uniqueSessionIds', e.session_id),
  numeric('latency', of.latencyMs),
  numeric('streamingLatency', of.streamingMs),
  numeric('timeToFirstToken', of.firstTokenMs),
  numeric('inputTokens', of.tokens('input')),
  numeric('outputTokens', of.tokens('output')),
  numeric('totalTokens', totalTokens),
  numeric('outputTokensPerSecond', of.perSecond(of.tokens('output'), of.streamingMs)),
  numeric('tokensPerSecond', of.perSecond(totalTokens, of.latencyMs)),
  numeric('inputCost', e.calculated_input_cost.sql),
  numeric('outputCost', e.calculated_output_cost.sql),
  numeric('totalCost', sql`${e.cost_details.sql}['total']`),
  { ...numeric('countScores', sql`s.scores`), join: 'scores' },
  numeric('toolDefinitions', sql`nullIf(length(${toolNames}), 0)`),
  numeric('toolCalls', sql`nullIf(length(${e.tool_calls.sql}), 0)`),
  { ...numeric('costByType', sql`0`), by: { dimension: 'costType', of: element => sql`${e.cost_details.sql}[${element}]` } },
  { ...numeric('usageByType', sql`0`), by: { dimension: 'usageType', of: element => sql`${e.usage_details.sql}[${element}]` } },
]

export const observationsView: View = {
  dimensions,
  measures,
  time: { column: 'start_time', sql: e.start_time.sql, us: e.start_time.selected },
  metadata: metadataField,
  metadataText: key => sql`${e.metadata_values.sql}[arrayLastIndex(name -> name = ${value('String', key)}, ${e.metadata_names.sql})]`,
  source({ project, from, to, joins, uncut, conditions, where }) {
    const cut = !uncut && conditions.every(isExactOnCore)
    const source = newestIn(cut ? eventsCore : eventsFull, { project, time: { from, to } })
    const scores = sql` LEFT JOIN (${observationScoreCounts(project).sql}) AS s ON s.trace = ${e.trace_id.sql} AND s.observation = ${e.span_id.sql}`
    return {
      from: joins.has('scores') ? sql`${source.from}${scores}` : source.from,
      conditions: [...source.conditions, ...conditions.map(condition => conditionSql(condition, { project, cut })), ...where],
    }
  },
}

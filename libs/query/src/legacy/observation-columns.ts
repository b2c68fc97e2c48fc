// Columns of the v3 table by which observations can be filtered (contract §20.4).
import type { Condition } from '../filter/condition.ts'
import { field } from '../sql/field.ts'
import { newestIn, type Source, select } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { column, columnsOf, legacySql, metadataColumn, rangeOf } from './conditions.ts'
import { o, observations, orEmpty, t, traces } from './tables.ts'
import { amounts } from './totals.ts'

const millisBetween = (to: Sql): Sql => sql`(toUnixTimestamp64Milli(${to}) - toUnixTimestamp64Milli(${o.start_time.sql}))`
export const latencyMs = millisBetween(o.end_time.sql)
export const firstTokenMs = millisBetween(o.completion_start_time.sql)

const usage = (part: 'input' | 'output') => amounts(o.usage_details.sql, part)
const cost = (part: 'input' | 'output') => sql`toFloat64(${amounts(o.cost_details.sql, part)})`
const total = (map: Sql) => sql`if(mapContains(${map}, 'total'), ${map}['total'], NULL)`

const ofTrace = [
  column('text', 'userId', sql`r.user_id`, 'User ID'),
  column('text', 'traceName', sql`r.name`, 'Trace Name'),
  column('text', 'traceEnvironment', sql`r.environment`, 'Trace Environment'),
  column('list', 'traceTags', sql`r.tags`, 'Trace Tags'),
]
const idsOfTrace: ReadonlySet<string> = new Set(ofTrace.map(({ id }) => id))

export const observationColumns = columnsOf([
  column('text', 'id', o.id.sql, 'ID'),
  column('text', 'type', o.type.sql, 'Type'),
  column('text', 'name', o.name.sql, 'Name'),
  column('text', 'traceId', o.trace_id.sql, 'Trace ID'),
  column('text', 'parentObservationId', orEmpty(o.parent_observation_id), 'Parent Observation ID'),
  column('time', 'startTime', o.start_time.sql, 'Start Time'),
  column('time', 'endTime', o.end_time.sql, 'End Time'),
  column('text', 'environment', o.environment.sql, 'Environment'),
  column('text', 'level', o.level.sql, 'Level'),
  column('text', 'statusMessage', orEmpty(o.status_message), 'Status Message'),
  column('text', 'version', orEmpty(o.version), 'Version'),
  column('number', 'latency', sql`(${latencyMs} / 1000)`, 'Latency (s)'),
  column('number', 'timeToFirstToken', sql`(${firstTokenMs} / 1000)`, 'Time To First Token (s)'),
  column('number', 'tokensPerSecond', sql`(${usage('output')} / (nullIf(${latencyMs}, 0) / 1000))`, 'Tokens per second'),
  column('number', 'inputTokens', usage('input'), 'Input Tokens'),
  column('number', 'outputTokens', usage('output'), 'Output Tokens'),
  column('number', 'totalTokens', total(o.usage_details.sql), 'Total Tokens', 'tokens', 'Tokens'),
  column('number', 'inputCost', cost('input'), 'Input Cost ($)'),
  column('number', 'outputCost', cost('output'), 'Output Cost ($)'),
  column('number', 'totalCost', sql`toFloat64(${total(o.cost_details.sql)})`, 'Total Cost ($)'),
  column('text', 'model', orEmpty(o.provided_model_name), 'Model', 'providedModelName', 'Provided Model Name'),
  column('text', 'promptName', orEmpty(o.prompt_name), 'Prompt Name', 'Prompt'),
  column('number', 'promptVersion', o.prompt_version.sql, 'Prompt Version'),
  metadataColumn,
  ...ofTrace,
])

export function attributesOfTraces(project: string) {
  const newest = (expression: Sql) => field(sql`argMax(${expression}, ${t.event_ts.sql})`, String)
  const fields = {
    ...{ id: t.id, name: newest(t.name.sql), user_id: newest(orEmpty(t.user_id)), session_id: newest(orEmpty(t.session_id)) },
    ...{ environment: newest(t.environment.sql), tags: newest(t.tags.sql) },
    ...{ release: newest(orEmpty(t.release)), version: newest(orEmpty(t.version)) },
  }
  return select(newestIn(traces, { project, time: { everyTime: 'A trace may begin at any time' } }), fields, { groupBy: [t.id.sql] })
}

export function observationsWhere(
  project: string,
  conditions: readonly Condition[],
): { readonly source: Source; readonly where: readonly Sql[] } {
  const { from, conditions: scoped } = newestIn(observations, { project, time: rangeOf(conditions, 'startTime') })
  const isJoined = conditions.some(({ field: { id } }) => idsOfTrace.has(id))
  const joined = sql`${from} LEFT JOIN (${attributesOfTraces(project).sql}) AS r ON r.id = ${o.trace_id.sql}`
  return {
    source: { from: isJoined ? joined : from, conditions: scoped },
    where: conditions.map(condition => legacySql(condition, { project, metadata: o.metadata.sql, trace: o.trace_id.sql })),
  }
}

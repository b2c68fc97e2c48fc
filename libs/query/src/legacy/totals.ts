// Totals over the observations of a trace.
import { field, numberField } from '../sql/field.ts'
import { newestIn, select } from '../sql/select.ts'
import { constant, type Sql, sql } from '../sql/sql.ts'
import { o, observations } from './tables.ts'

/** Sums the entries whose names contain `part`, ignoring ASCII case. */
export const amounts = (map: Sql, part: 'input' | 'output'): Sql =>
  sql`arraySum(mapValues(mapFilter((k, v) -> positionCaseInsensitive(k, '${constant(part)}') > 0, ${map})))`

const end = sql`greatest(${o.start_time.sql}, ifNull(${o.end_time.sql}, ${o.start_time.sql}))`
const counted = (level: string) => numberField(sql`countIf(${o.level.sql} = '${constant(level)}')`)

const trace = field(o.trace_id.sql, String)
const shown = {
  latency_ms: numberField(sql`toUnixTimestamp64Milli(max(${end})) - toUnixTimestamp64Milli(min(${o.start_time.sql}))`),
  total_cost: numberField(sql`toFloat64(sum(${o.cost_details.sql}['total']))`),
}
const filtered = {
  ...shown,
  observations: numberField(sql`count()`),
  input_cost: numberField(sql`toFloat64(sum(${amounts(o.cost_details.sql, 'input')}))`),
  output_cost: numberField(sql`toFloat64(sum(${amounts(o.cost_details.sql, 'output')}))`),
  input_tokens: numberField(sql`sum(${amounts(o.usage_details.sql, 'input')})`),
  output_tokens: numberField(sql`sum(${amounts(o.usage_details.sql, 'output')})`),
  total_tokens: numberField(sql`sum(${o.usage_details.sql}['total'])`),
  ...{ errors: counted('ERROR'), warnings: counted('WARNING'), defaults: counted('DEFAULT'), debugs: counted('DEBUG') },
}

const scopeOf = (project: string) => ({ project, time: { everyTime: 'Observations of a trace may have any time' } })

/** Selects the totals of every trace of a project, for filters. */
export const totals = (project: string) =>
  select(newestIn(observations, scopeOf(project)), { trace, ...filtered }, { groupBy: [o.trace_id.sql] })

export function totalsOf(project: string, traceIds: Sql) {
  const fields = { trace, ids: field(sql`arraySort(groupArray(${o.id.sql}))`, o.tool_calls.decode), ...shown }
  return select(newestIn(observations, scopeOf(project)), fields, {
    where: [sql`${o.trace_id.sql} IN ${traceIds}`],
    groupBy: [o.trace_id.sql],
  })
}

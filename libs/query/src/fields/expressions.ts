// SQL expressions that several fields share.
import { constant, type Sql, sql } from '../sql/sql.ts'
import { e } from './events.ts'

export const isRoot = sql`(${e.parent_span_id.sql} = '' OR ${e.is_app_root.sql})`

/** If the row's trace name is empty, a root span's own name is used. */
export const traceName = sql`if(${e.trace_name.sql} != '', ${e.trace_name.sql}, if(${isRoot}, ${e.name.sql}, ''))`

const millisOf = (time: Sql) => sql`toUnixTimestamp64Milli(${time})`

/**
 * Returns SQL for the milliseconds between two times. Each time is truncated to the millisecond before the subtraction. The result is null
 * if one of the times is null.
 */
const millisBetween = (from: Sql, to: Sql): Sql => sql`(${millisOf(to)} - ${millisOf(from)})`

export const latencyMs = millisBetween(e.start_time.sql, e.end_time.sql)
export const streamingMs = millisBetween(e.completion_start_time.sql, e.end_time.sql)
export const firstTokenMs = millisBetween(e.start_time.sql, e.completion_start_time.sql)

/** Sums the entries whose names contain `part`, ignoring ASCII case. */
export const tokens = (part: 'input' | 'output'): Sql =>
  sql`arraySum(mapValues(mapFilter((k, v) -> positionCaseInsensitive(k, '${constant(part)}') > 0, ${e.usage_details.sql})))`

export const entry = (map: Sql, name: 'total'): Sql => sql`if(mapContains(${map}, '${constant(name)}'), ${map}['${constant(name)}'], NULL)`

/** Returns null if `ms` is 0. The engine counts -0 and 0 as different values. Adding 0 turns -0 into 0. */
export const perSecond = (amount: Sql, ms: Sql): Sql => sql`(${amount} / (nullIf(${ms}, 0) / 1000) + 0)`

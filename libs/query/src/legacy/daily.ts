// GET /api/public/metrics/daily (contract §20.7): traces per day, and usage per model. An observation is counted on the day of its trace.
import { field, numberField, textField } from '../sql/field.ts'
import { newestIn, outputs, type Reads, read, rowsOf, select } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { type Asked, boundsOf } from './bounds.ts'
import { conditionsOf } from './conditions.ts'
import { keysOfPage, type PageAsked, type PageMeta } from './page.ts'
import { o, observations, orEmpty, t } from './tables.ts'
import { amounts } from './totals.ts'
import { traceColumns, tracesWhere } from './trace-columns.ts'

export interface DailyMetricsQuery extends PageAsked {
  readonly traceName?: string | undefined
  readonly userId?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly environment?: readonly string[] | undefined
  /** ISO 8601, checked. */
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
}

interface ModelUsage {
  readonly model: string | null
  readonly inputUsage: number
  readonly outputUsage: number
  readonly totalUsage: number
  readonly countTraces: number
  readonly countObservations: number
  /** US dollars. */
  readonly totalCost: number
}

interface Day {
  /** `2026-01-31` */
  readonly date: string
  readonly countTraces: number
  readonly countObservations: number
  readonly totalCost: number
  readonly usage: readonly ModelUsage[]
}

const day = textField(sql`toString(toDate(${t.timestamp.sql}, 'UTC'))`)

const ofModel = {
  day: textField(sql`d.day`),
  model: field(orEmpty(o.provided_model_name), String),
  input: numberField(sql`sum(${amounts(o.usage_details.sql, 'input')})`),
  output: numberField(sql`sum(${amounts(o.usage_details.sql, 'output')})`),
  total: numberField(sql`sum(${o.usage_details.sql}['total'])`),
  traces: numberField(sql`uniqExact(${o.trace_id.sql})`),
  observations: numberField(sql`count()`),
  cost: numberField(sql`toFloat64(sum(${o.cost_details.sql}['total']))`),
}

const sum = (usage: readonly ModelUsage[], of: 'countObservations' | 'totalCost') => usage.reduce((all, each) => all + each[of], 0)

/** Returns one entry per day, newest first. Throws a `column_store_*` error, or the abort signal's reason. */
export async function dailyMetrics(
  columnStore: Reads,
  { projectId, query, signal }: Asked<DailyMetricsQuery>,
): Promise<{ readonly data: readonly Day[]; readonly meta: PageMeta }> {
  const { traceName: name, userId, tags, environment, fromTimestamp: from, toTimestamp: to } = query
  const simple = { equal: { name, userId }, anyOf: { environment }, allOf: { tags }, time: { id: 'timestamp', from, to } }
  const { source, where } = tracesWhere(projectId, conditionsOf(traceColumns, simple, undefined))
  const grouped = select(source, { day, traces: numberField(sql`uniqExact(${t.id.sql})`) }, { where, groupBy: [sql`day`] })
  const key = outputs(grouped)
  const bounds = boundsOf('legacy.dailyMetrics', 'a page of daily metrics', signal)
  const keyed = { source: rowsOf(grouped), where: [], key, orderBy: sql`${key.day.sql} DESC` }
  const { keys, meta } = await keysOfPage(columnStore, keyed, query, bounds)
  if (keys.length === 0) return { data: [], meta }
  const days = value(
    'Array(String)',
    keys.map(each => each.day),
  )
  const ofDays = select(source, { id: t.id, day }, { where: [...where, sql`day IN ${days}`] })
  const all = newestIn(observations, { project: projectId, time: { everyTime: 'Observations of a trace may have any time' } })
  const joined = { ...all, from: sql`${all.from} INNER JOIN (${ofDays.sql}) AS d ON d.id = ${o.trace_id.sql}` }
  const rows = await read(columnStore, select(joined, ofModel, { groupBy: [sql`day`, sql`model`], orderBy: sql`day, model` }), bounds)
  const data = keys.map(each => {
    const usage = rows.filter(row => row.day === each.day).map(usageView)
    return {
      ...{ date: each.day, countTraces: each.traces, countObservations: sum(usage, 'countObservations') },
      ...{ totalCost: sum(usage, 'totalCost'), usage },
    }
  })
  return { data, meta }
}

const usageView = (row: { readonly [Name in keyof typeof ofModel]: ReturnType<(typeof ofModel)[Name]['decode']> }): ModelUsage => ({
  ...{ model: row.model || null, inputUsage: row.input, outputUsage: row.output, totalUsage: row.total },
  ...{ countTraces: row.traces, countObservations: row.observations, totalCost: row.cost },
})

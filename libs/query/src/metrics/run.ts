// GET /api/public/v2/metrics (contract §17.4).

import type { Condition } from '../filter/condition.ts'
import { conditionSql } from '../filter/sql.ts'
import { type Decoder, nullable, number, text } from '../sql/decode.ts'
import { type Field, type Fields, field, numberField } from '../sql/field.ts'
import { type Bounds, type Deadline, deadlineIn, type Limits } from '../sql/scope.ts'
import { type Reads, read, rowsOf, type Select, type Source, select } from '../sql/select.ts'
import { constant, join, type Sql, sql } from '../sql/sql.ts'
import { aggregated, ofNothing } from './aggregate.ts'
import { bucketOf, bucketSql, bucketText, nextBucket } from './buckets.ts'
import { type MetricsVersion, metricsV2, type Plan, planOf } from './plan.ts'
import { readMetricsQuery } from './query.ts'
import type { Dimension } from './view.ts'

export interface MetricsOptions {
  readonly projectId: string
  /** JSON text. */
  readonly query: string
  readonly signal: AbortSignal | undefined
  readonly deadline?: Deadline
  /** Defaults to v2. */
  readonly version?: MetricsVersion
}

export interface Metrics {
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

const limits: Limits = { rows: 1_000, memoryBytes: 2 ** 29, readBytes: 2 ** 38 }

/** Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export async function queryMetrics(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(30, 'a query of metrics'), version = metricsV2 }: MetricsOptions,
): Promise<Metrics> {
  const plan = planOf(readMetricsQuery(query, Object.keys(version.views)), version)
  const bounds: Bounds = { limits: { ...limits, rows: Math.max(limits.rows, plan.limit) }, deadline, signal, comment: 'metrics.query' }
  const rows = await read(columnStore, statementOf(plan, projectId), bounds)
  const shown = rows.map(row => shownRow(plan, row))
  return { data: plan.granularity === undefined || plan.orderBy.length > 0 ? shown : filled(plan, rows, shown) }
}

/** Names of the statement's columns. The statement contains no names from the user's query, because those names can be any text. */
const dimensionName = (at: number) => `d${at}`
const measureName = (at: number) => `m${at}`
const metricName = (at: number) => `a${at}`
const bucketName = 'bucket'

function statementOf(plan: Plan, project: string): Select<Fields> {
  const { dimensions, metrics, granularity, limit, bins } = plan
  const rows = rowsOf(rowsOfPlan(plan, project))
  const where = elementConditions(plan).flatMap(({ condition, at }) =>
    at < 0 ? [] : [elementSql(condition, sql`ifNull(${constant(dimensionName(at))}, '')`, project)],
  )
  const fields: Record<string, Field<unknown>> = {}
  for (const [at, dimension] of dimensions.entries()) fields[dimensionName(at)] = field(constant(dimensionName(at)), decoderOf(dimension))
  if (granularity !== undefined) fields[bucketName] = field(constant(bucketName), text)
  const groupBy = Object.keys(fields).map(constant)
  for (const [at, metric] of metrics.entries()) fields[metricName(at)] = aggregated(metric.aggregation, constant(measureName(at)), bins)
  return select(rows, fields, { where, groupBy, ...ordered(plan), limit })
}

/** Selects the rows that the statement groups. If a dimension explodes a list, a row becomes one row for each element of the list. */
function rowsOfPlan(plan: Plan, project: string): Select<Fields> {
  const { view, dimensions, metrics, filtered, granularity, zone, from, to } = plan
  const onElements = elementConditions(plan)
  const conditions = plan.conditions.filter(each => onElements.every(({ condition }) => condition !== each))
  const where = onElements.flatMap(({ condition, at, list }) =>
    at < 0 ? [sql`arrayExists(element -> ${elementSql(condition, sql`element`, project)}, ${list})`] : [],
  )
  const joins = new Set([...dimensions, ...filtered, ...metrics.map(({ measure }) => measure)].flatMap(each => each.join ?? []))
  const uncut = [...dimensions, ...filtered].some(dimension => dimension.uncut)
  const source: Source = view.source({ project, from, to, joins, uncut, conditions, where })
  const fields: Record<string, Field<unknown>> = {}
  for (const [at, dimension] of dimensions.entries()) fields[dimensionName(at)] = numberField(dimensionSql(dimension))
  if (granularity !== undefined) fields[bucketName] = numberField(bucketSql(granularity, view.time.us, zone))
  for (const [at, { measure }] of metrics.entries()) {
    const { by } = measure
    const dimension = by && dimensions.find(({ name }) => name === by.dimension)
    fields[measureName(at)] = numberField(
      sql`toNullable(${dimension?.exploded && by ? by.of(sql`arrayJoin(${dimension.exploded})`) : measure.sql})`,
    )
  }
  return select(source, fields)
}

/**
 * Returns the conditions on dimensions with `elements: true`. Such a condition is tested on each element of the dimension's list
 * separately. `at` is the position of the dimension in the query, or -1 if the query does not have this dimension.
 */
function elementConditions({ conditions, filtered, dimensions }: Plan) {
  return conditions.flatMap(condition => {
    const dimension = filtered.find(({ name, elements }) => elements && name === condition.field.id)
    if (dimension === undefined) return []
    return [{ condition, at: dimensions.indexOf(dimension), list: dimension.sql }]
  })
}

function elementSql(condition: Condition, element: Sql, project: string): Sql {
  const { is } = condition
  if (is !== 'text' && is !== 'options' && is !== 'null') throw new TypeError(`An element is a text, and ${is} is not a condition on texts`)
  if (condition.field.kind !== 'text') throw new TypeError(`${condition.field.id} is not a text`)
  return conditionSql({ ...condition, field: { ...condition.field, sql: element } }, { project, cut: false })
}

function dimensionSql({ kind, sql: expression, exploded }: Dimension): Sql {
  // The engine evaluates equal arrayJoin expressions only once, so dimension and measure refer to the same element.
  if (exploded !== undefined) return sql`nullIf(toString(arrayJoin(${exploded})), '')`
  return kind === 'text' ? sql`nullIf(toString(${expression}), '')` : expression
}

function decoderOf({ kind, exploded }: Dimension): Decoder<unknown> {
  if (exploded !== undefined || kind === 'text') return nullable(text)
  if (kind === 'number') return nullable(number)
  return kind === 'boolean' ? json => json === true || json === 1 : json => json
}

/** Returns the statement's order. Nulls come last in ascending and in descending order. */
function ordered({ orderBy, dimensions, metrics, granularity }: Plan): { readonly orderBy?: Sql } {
  const nameOf = (name: string) => {
    const dimension = dimensions.findIndex(each => each.name === name)
    if (dimension >= 0) return dimensionName(dimension)
    const metric = metrics.findIndex(each => each.name === name)
    return metric >= 0 ? metricName(metric) : bucketName
  }
  if (orderBy.length > 0) {
    const keys = orderBy.map(({ field: name, direction }) => sql`${constant(nameOf(name))} ${constant(direction)} NULLS LAST`)
    return { orderBy: join(keys, ', ') }
  }
  return { orderBy: granularity === undefined ? sql`a0 DESC NULLS LAST` : sql`bucket` }
}

type Row = Readonly<Record<string, unknown>>

function shownRow({ dimensions, metrics, granularity }: Plan, row: Row): Row {
  return Object.fromEntries([
    ...dimensions.map(({ name }, at) => [name, row[dimensionName(at)]] as const),
    ...(granularity === undefined ? [] : [['time_dimension', bucketText(granularity, BigInt(String(row[bucketName])))] as const]),
    ...metrics.map(({ name }, at) => [name, row[metricName(at)]] as const),
  ])
}

/** Returns the rows in the order of time, with an additional row for each empty bucket. The result has at most `limit` rows. */
function filled(
  { dimensions, metrics, granularity = 'day', zone, from, to, limit }: Plan,
  rows: readonly Row[],
  shown: readonly Row[],
): readonly Row[] {
  const nothing = [
    ...dimensions.map(({ name, kind }) => [name, kind === 'list' ? [] : null] as const),
    ...metrics.map(({ name, aggregation }) => [name, ofNothing(aggregation)] as const),
  ]
  const data: Row[] = []
  const end = bucketOf(granularity, to, zone)
  let at = 0
  for (
    let bucket = bucketOf(granularity, from, zone);
    data.length < limit && (bucket < end || at < rows.length);
    bucket = nextBucket(granularity, bucket, zone)
  ) {
    const before = at
    while (at < rows.length && BigInt(String(rows[at]![bucketName])) === bucket) data.push(shown[at++]!)
    if (at === before && bucket < end) data.push(Object.fromEntries([...nothing, ['time_dimension', bucketText(granularity, bucket)]]))
  }
  return data.slice(0, limit)
}

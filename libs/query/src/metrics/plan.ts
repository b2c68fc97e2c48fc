// Resolves the names in a metrics query against its view, and checks its dimensions, measures, and orders.

import type { Condition } from '../filter/condition.ts'
import { filterOf } from '../filter/read.ts'
import { badRequest } from '../invalid-query.ts'
import { checkedMicrosOf } from '../times.ts'
import { type Granularity, granularityOf } from './buckets.ts'
import { observationsView } from './observations-view.ts'
import { type Aggregation, aggregations, type MetricsQuery } from './query.ts'
import { booleanScores, categoricalScores, numericScores } from './scores-view.ts'
import { type Dimension, filterFieldOf, type Measure, metadataDimension, timeField, type View } from './view.ts'
import { type Zone, zoneOf } from './zone.ts'

export interface MetricsVersion {
  readonly views: Readonly<Record<string, View>>
  /** Maximum number of rows if the query sets no limit. */
  readonly defaultLimit: number
  /** If true, a query that groups by a dimension with many distinct values must contain an order and a limit. */
  readonly limitsHigh: boolean
}

export const metricsV2: MetricsVersion = {
  views: {
    observations: observationsView,
    'scores-numeric': numericScores,
    'scores-boolean': booleanScores,
    'scores-categorical': categoricalScores,
  },
  defaultLimit: 100,
  limitsHigh: true,
}

interface Metric {
  /** `p95_latency`. */
  readonly name: string
  readonly measure: Measure
  readonly aggregation: Aggregation
}

export interface Plan {
  readonly view: View
  readonly dimensions: readonly Dimension[]
  readonly metrics: readonly Metric[]
  readonly conditions: readonly Condition[]
  /** Dimensions that only filters use. They can need joins. */
  readonly filtered: readonly Dimension[]
  readonly granularity: Granularity | undefined
  readonly zone: Zone
  readonly from: bigint
  readonly to: bigint
  readonly orderBy: readonly { readonly field: string; readonly direction: 'asc' | 'desc' }[]
  readonly bins: number
  readonly limit: number
}

const named = <T extends { readonly name: string }>(all: readonly T[], name: string): T | undefined => all.find(each => each.name === name)
const listed = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(', ')

/** Throws InvalidQuery. */
export function planOf(query: MetricsQuery, { views, defaultLimit, limitsHigh }: MetricsVersion): Plan {
  const view = views[query.view]
  if (view === undefined) throw badRequest(`There is no view ${JSON.stringify(query.view)}.`)
  const metrics = query.metrics.map(metric => metricOf(view, metric))
  const dimensions = dimensionsOf(view, query, metrics)
  const [from, to] = [checkedMicrosOf(query.fromTimestamp), checkedMicrosOf(query.toTimestamp)]
  const asked = query.timeDimension?.granularity
  const granularity = asked === 'auto' ? granularityOf(to - from) : asked
  const orderBy = query.orderBy ?? []
  const conditions = conditionsOf(view, query.filters)
  const plan: Plan = {
    ...{ view, dimensions, metrics, granularity, from, to, orderBy, conditions, zone: zoneOf(query.timeZone, from, to) },
    filtered: conditions.flatMap(({ field }) => named(view.dimensions, field.id) ?? metadataDimension(view, field.id) ?? []),
    bins: query.config?.bins ?? 10,
    limit: query.config?.row_limit ?? defaultLimit,
  }
  checkOrder(plan)
  if (limitsHigh) checkHigh(plan, query.config?.row_limit ?? undefined)
  return plan
}

function metricOf(view: View, { measure: name, aggregation }: MetricsQuery['metrics'][number]): Metric {
  const measure = named(view.measures, name)
  if (measure === undefined) throw badRequest(`There is no measure ${JSON.stringify(name)} in this view. It has ${listed(view.measures)}.`)
  if (!measure.numeric && aggregation !== 'count' && aggregation !== 'uniq') {
    throw badRequest(
      `The measure ${name} does not support ${aggregation}: it supports count, uniq. Numeric measures support ${aggregations.join(', ')}.`,
    )
  }
  return { name: `${aggregation}_${name}`, measure, aggregation }
}

function dimensionsOf(view: View, query: MetricsQuery, metrics: readonly Metric[]): readonly Dimension[] {
  const names = [...(query.dimensions ?? []).map(({ field }) => field), ...metrics.flatMap(({ measure }) => measure.by?.dimension ?? [])]
  const dimensions = [...new Set(names)].map(name => {
    const dimension = named(view.dimensions, name) ?? metadataDimension(view, name)
    if (dimension === undefined) {
      const more = view.metadataText === undefined ? '' : ', metadata.<key>'
      throw badRequest(`There is no dimension ${JSON.stringify(name)} in this view. It has ${listed(view.dimensions)}${more}.`)
    }
    return dimension
  })
  if (named(dimensions, 'costType') && named(dimensions, 'usageType')) throw badRequest('Give either costType or usageType, not both.')
  return dimensions
}

export function conditionsOf(view: View, filters: unknown): readonly Condition[] {
  if (filters === undefined || filters === null) return []
  const fields = new Map([...view.dimensions.map(dimension => [dimension.name, filterFieldOf(dimension)] as const)])
  fields.set(view.time.column, timeField(view.time))
  fields.set('metadata', view.metadata)
  const metadata = (name: string) => {
    const dimension = metadataDimension(view, name)
    return dimension && filterFieldOf(dimension)
  }
  const get = (name: string) => fields.get(name) ?? metadata(name) ?? (name.endsWith('Name') ? fields.get('name') : undefined)
  const conditions = filterOf(filters, { nullOfAll: true, get }, ['query', 'filters'])
  for (const { is, field } of conditions) {
    if (is === 'metadataNumber' || is === 'metadataBoolean')
      throw badRequest(`The column ${field.id} supports only filters of the type stringObject here.`)
  }
  return conditions
}

function checkOrder({ orderBy, dimensions, metrics, granularity }: Plan): void {
  for (const { field } of orderBy) {
    const isTime = field === 'time_dimension' && granularity !== undefined
    if (isTime || named(dimensions, field) !== undefined || named(metrics, field) !== undefined) continue
    throw badRequest(`Cannot order by ${JSON.stringify(field)}: it is not a dimension, time_dimension or metric of the query.`)
  }
}

function checkHigh({ dimensions, granularity, orderBy, metrics }: Plan, limit: number | undefined): void {
  const high = dimensions.filter(dimension => dimension.high)
  if (high.length === 0) return
  if (granularity !== undefined) throw badRequest(`${listed(high)} cannot be combined with timeDimension: they have too many values.`)
  if (limit !== undefined && orderBy.some(({ field, direction }) => direction === 'desc' && named(metrics, field) !== undefined)) return
  throw badRequest(`${listed(high)} have many values: set config.row_limit, and order by a metric of the query in descending order (desc).`)
}

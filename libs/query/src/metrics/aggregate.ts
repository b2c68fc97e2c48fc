// Aggregations of a measure. In a row without a value, the measure is null, and the aggregations ignore the row.
import type { Decoder } from '../sql/decode.ts'
import { type Field, field } from '../sql/field.ts'
import { constant, type Sql, sql } from '../sql/sql.ts'
import type { Aggregation } from './query.ts'

export const ofNothing = (aggregation: Aggregation): unknown =>
  aggregation === 'histogram' ? [] : aggregation === 'count' || aggregation === 'uniq' || aggregation === 'sum' ? 0 : null

const numberOrNull: Decoder<number | null> = json => (json === null ? null : Number(json))
const intervals: Decoder<readonly unknown[]> = json => (Array.isArray(json) ? json : [])

const quantiles: Readonly<Partial<Record<Aggregation, string>>> = { p50: '0.5', p75: '0.75', p90: '0.9', p95: '0.95', p99: '0.99' }

export function aggregated(aggregation: Aggregation, measure: Sql, bins: number): Field<unknown> {
  const quantile = quantiles[aggregation]
  // For up to 8,192 values, the engine interpolates between the two nearest values.
  if (quantile !== undefined) return field(sql`quantile(${constant(quantile)})(toFloat64(${measure}))`, numberOrNull)
  switch (aggregation) {
    case 'histogram':
      return field(sql`histogramIf(${constant(String(bins))})(ifNull(toFloat64(${measure}), 0), isNotNull(${measure}))`, intervals)
    case 'avg':
      return field(sql`avg(toFloat64(${measure}))`, numberOrNull)
    case 'sum':
      return field(sql`ifNull(sum(${measure}), 0)`, numberOrNull)
    default:
      return field(sql`${constant(aggregation)}(${measure})`, numberOrNull)
  }
}

// The shape of a metrics v2 query (contract §17.4).

import { isoTime } from '@svc-server/api/fields/fields'
import { exactMicrosOf } from '@svc-server/api/fields/times'
import { parseJson } from '@svc-server/json'
import { z } from 'zod'
import { badRequest, badShape } from '../invalid-query.ts'

export const aggregations = ['sum', 'avg', 'count', 'max', 'min', 'p50', 'p75', 'p90', 'p95', 'p99', 'histogram', 'uniq'] as const
export type Aggregation = (typeof aggregations)[number]

const whole = (max: number) => z.int().min(1).max(max)

const shape = z
  .object({
    view: z.string(),
    dimensions: z.array(z.object({ field: z.string() })).nullish(),
    metrics: z.array(z.object({ measure: z.string(), aggregation: z.enum(aggregations) })).min(1),
    filters: z.unknown().optional(),
    timeDimension: z.object({ granularity: z.enum(['auto', 'minute', 'hour', 'day', 'week', 'month']) }).nullish(),
    /** IANA name. Days, weeks, and months follow this zone. */
    timeZone: z.string().nullish(),
    fromTimestamp: isoTime,
    toTimestamp: isoTime,
    orderBy: z.array(z.object({ field: z.string(), direction: z.enum(['asc', 'desc']) })).nullish(),
    config: z.object({ bins: whole(100).nullish(), row_limit: whole(1_000).nullish() }).nullish(),
  })
  .refine(({ fromTimestamp, toTimestamp }) => (exactMicrosOf(fromTimestamp) ?? 0n) < (exactMicrosOf(toTimestamp) ?? 0n), {
    path: ['toTimestamp'],
    message: 'toTimestamp must be after fromTimestamp.',
  })

export type MetricsQuery = z.output<typeof shape>

/** Throws InvalidQuery. */
export function readMetricsQuery(text: string, views: readonly string[]): MetricsQuery {
  const parsed = shape.safeParse(parsedJson(text))
  if (parsed.success) {
    if (views.includes(parsed.data.view)) return parsed.data
    throw badShape({ path: ['query', 'view'], message: `Expected ${views.join(', ')}.` })
  }
  throw badShape(...parsed.error.issues.map(issue => ({ path: ['query', ...issue.path.map(String)], message: issue.message })))
}

function parsedJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw badRequest('Invalid JSON in query parameter')
  }
}

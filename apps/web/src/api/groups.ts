// The busiest users or sessions of a time range, from metrics v2.
import { useQuery } from '@tanstack/react-query'
import type { TimeRange } from '../search/range.ts'
import { call } from './client.ts'

export interface Group {
  readonly id: string
  readonly observations: number
  readonly traces: number
  readonly sessions: number
  readonly cost: number
  readonly p95Ms: number | null
  readonly errors: number
}

const most = 100

async function read(project: string, dimension: string, { fromMs, toMs }: TimeRange, filters: readonly object[], signal: AbortSignal) {
  const query = {
    view: 'observations',
    metrics: [
      { measure: 'count', aggregation: 'count' },
      { measure: 'traceId', aggregation: 'uniq' },
      { measure: 'uniqueSessionIds', aggregation: 'uniq' },
      { measure: 'totalCost', aggregation: 'sum' },
      { measure: 'latency', aggregation: 'p95' },
    ],
    dimensions: [{ field: dimension }],
    filters: [{ type: 'null', column: dimension, operator: 'is not null', value: '' }, ...filters],
    fromTimestamp: new Date(fromMs).toISOString(),
    toTimestamp: new Date(toMs).toISOString(),
    orderBy: [{ field: 'count_count', direction: 'desc' }],
    config: { row_limit: most },
  }
  return (await call('metrics.metrics', { project, query: { query: JSON.stringify(query) }, signal })).data
}

export function useGroups(project: string, dimension: 'userId' | 'sessionId', range: TimeRange) {
  return useQuery({
    queryKey: ['groups', project, dimension, range.fromMs, range.toMs],
    async queryFn({ signal }): Promise<readonly Group[]> {
      const error = { type: 'string', column: 'level', operator: '=', value: 'ERROR' }
      const [all, failed] = await Promise.all([
        read(project, dimension, range, [], signal),
        read(project, dimension, range, [error], signal),
      ])
      const errors = new Map(failed.map(row => [String(row[dimension]), Number(row['count_count'])]))
      return all.map(row => ({
        id: String(row[dimension]),
        observations: Number(row['count_count']),
        traces: Number(row['uniq_traceId']),
        sessions: Number(row['uniq_uniqueSessionIds']),
        cost: Number(row['sum_totalCost'] ?? 0),
        p95Ms: row['p95_latency'] === null ? null : Number(row['p95_latency']),
        errors: errors.get(String(row[dimension])) ?? 0,
      }))
    },
  })
}

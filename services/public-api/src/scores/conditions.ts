// The filters of GET /api/public/v3/scores as SQL. Values are parameters, never text of the statement.
import type { ScoreQuery } from '../schemas/score-query.ts'
import { microsOf } from '../schemas/times.ts'

export interface Conditions {
  readonly conditions: string[]
  readonly params: Readonly<Record<string, unknown>>
}

const listed = {
  id: 'id',
  name: 'name',
  environment: 'environment',
  configId: 'config_id',
  queueId: 'queue_id',
  authorUserId: 'author_user_id',
  source: 'source',
  dataType: 'data_type',
  traceId: 'trace_id',
  sessionId: 'session_id',
  experimentId: 'dataset_run_id',
  observationId: 'observation_id',
} as const satisfies Partial<Record<keyof ScoreQuery, string>>

export function conditionsOf(query: ScoreQuery): Conditions {
  const conditions: string[] = []
  const params: Record<string, unknown> = {}
  for (const [key, column] of Object.entries(listed)) {
    const values = query[key as keyof typeof listed]
    if (values === undefined) continue
    conditions.push(`${column} IN {${key}:Array(String)}`)
    params[key] = values
  }
  addValue(query, conditions, params)
  for (const [key, operator] of [
    ['valueMin', '>='],
    ['valueMax', '<='],
  ] as const) {
    if (query[key] === undefined) continue
    conditions.push(`value ${operator} {${key}:Float64}`)
    params[key] = query[key]
  }
  for (const [key, operator] of [
    ['fromTimestamp', '>='],
    ['toTimestamp', '<'],
  ] as const) {
    const time = query[key]
    if (time === undefined) continue
    // Stored to the millisecond: a bound between two of them is the next one, for both operators.
    conditions.push(`timestamp ${operator} fromUnixTimestamp64Milli({${key}:Int64})`)
    params[key] = String(Math.ceil(microsOf(time)! / 1000))
  }
  return { conditions, params }
}

function addValue({ value, dataType }: ScoreQuery, conditions: string[], params: Record<string, unknown>): void {
  if (value === undefined) return
  const [type] = dataType ?? []
  if (type === 'CATEGORICAL') {
    conditions.push('string_value IN {value:Array(String)}')
    params['value'] = value
    return
  }
  conditions.push('value IN {value:Array(Float64)}')
  params['value'] = type === 'BOOLEAN' ? value.map(text => (text === 'true' ? 1 : 0)) : value.map(Number)
}

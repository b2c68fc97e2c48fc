// The filters of GET /api/public/v3/scores as SQL (contract §17.1).
import type { Field } from '../sql/field.ts'
import type { TimeRange } from '../sql/scope.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { checkedMicrosOf } from '../times.ts'
import { type ScoreGroup, scores } from './table.ts'

const { columns } = scores

const listed = [
  ['id', columns.id],
  ['name', columns.name],
  ['environment', columns.environment],
  ['configId', columns.config_id],
  ['queueId', columns.queue_id],
  ['authorUserId', columns.author_user_id],
  ['source', columns.source],
  ['dataType', columns.data_type],
  ['traceId', columns.trace_id],
  ['sessionId', columns.session_id],
  ['experimentId', columns.dataset_run_id],
  ['observationId', columns.observation_id],
] as const

type Listed = { readonly [Key in (typeof listed)[number][0]]?: readonly string[] | undefined }

export interface ScoreQuery extends Listed {
  /** Selects the scores of this observation, and the scores of the trace `traceId` that refer to no observation. */
  readonly onRoot?: string | undefined
  /** `core` is always included. */
  readonly fields?: readonly ScoreGroup[] | undefined
  /** Values of scores. A query with values must also have `dataType`. */
  readonly value?: readonly string[] | undefined
  readonly valueMin?: number | undefined
  readonly valueMax?: number | undefined
  /** ISO 8601, checked. */
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
}

export function conditionsOf(query: ScoreQuery): readonly Sql[] {
  const { valueMin, valueMax } = query
  return [
    ...listed.flatMap(([key, column]) => inList(column, query[key])),
    ...rootConditions(query),
    ...valueConditions(query),
    ...(valueMin === undefined ? [] : [sql`${columns.value.sql} >= ${value('Float64', valueMin)}`]),
    ...(valueMax === undefined ? [] : [sql`${columns.value.sql} <= ${value('Float64', valueMax)}`]),
  ]
}

const inList = (column: Field<unknown>, values: readonly string[] | undefined): readonly Sql[] =>
  values === undefined ? [] : [sql`${column.sql} IN ${value('Array(String)', values)}`]

/** A score of a session or experiment can contain a trace id without belonging to the trace, so such scores are excluded. */
function rootConditions({ onRoot }: ScoreQuery): readonly Sql[] {
  if (onRoot === undefined) return []
  const { observation_id, session_id, dataset_run_id } = columns
  const observation = sql`ifNull(${observation_id.sql}, '')`
  const isOfTrace = sql`${observation} = '' AND ifNull(${session_id.sql}, '') = '' AND ifNull(${dataset_run_id.sql}, '') = ''`
  return [sql`(${observation} = ${value('String', onRoot, 'onRoot')} OR (${isOfTrace}))`]
}

function valueConditions({ value: values, dataType: [type] = [] }: ScoreQuery): readonly Sql[] {
  if (values === undefined) return []
  if (type === 'CATEGORICAL') return inList(columns.string_value, values)
  const numbers = type === 'BOOLEAN' ? values.map(text => (text === 'true' ? 1 : 0)) : values.map(Number)
  return [sql`${columns.value.sql} IN ${value('Array(Float64)', numbers)}`]
}

export function rangeOf({ fromTimestamp, toTimestamp }: ScoreQuery): TimeRange {
  const to = toTimestamp === undefined ? undefined : checkedMicrosOf(toTimestamp)
  if (fromTimestamp !== undefined) return { from: checkedMicrosOf(fromTimestamp), to }
  return to === undefined ? { everyTime: 'A list of scores without a range is that of all times, newest first' } : { to }
}

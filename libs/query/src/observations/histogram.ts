// Counts observations over time, for any filter that a list accepts.
import { e } from '../fields/events.ts'
import { numberField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { type ListOptions, listingOf } from './list.ts'
import { type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'

export interface HistogramQuery extends Pick<ObservationsQuery, 'filter' | 'fromStartTime' | 'toStartTime'> {
  /** Milliseconds of one bucket. Each bucket starts at a multiple of this number. */
  readonly stepMs: number
}

interface Bucket {
  /** The start of the bucket, in milliseconds since the epoch. */
  readonly startMs: number
  readonly count: number
  readonly errors: number
}

/** Limits of the query. A request for more than this many buckets fails. */
const limits: Limits = { rows: 2_000, memoryBytes: 2 ** 29, readBytes: 2 ** 36 }

/** Buckets without observations are absent. Throws InvalidQuery, a column_store_* AppError, or the signal's reason. */
export async function readHistogram(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(15, 'counts over time') }: ListOptions<HistogramQuery>,
  pricesOf: PricesOf,
): Promise<readonly Bucket[]> {
  const { stepMs, ...filtered } = query
  const given = conditionsOf(filtered)
  const bounds: Bounds = { limits, deadline, signal, comment: 'observations.histogram' }
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await withoutPrices(columnStore, { conditions: given, scope, bounds }, pricesOf)
  const { show } = listingOf(projectId, conditions, { fields: {}, isWhole: false, size: sql`0` })
  const step = value('Int64', stepMs)
  const fields = {
    startMs: numberField(sql`toFloat64(intDiv(toUnixTimestamp64Milli(${e.start_time.sql}), ${step}) * ${step})`),
    count: numberField(sql`count()`),
    errors: numberField(sql`countIf(${e.level.sql} = 'ERROR')`),
  }
  return read(
    columnStore,
    select(newestIn(show.table, scope), fields, { where: show.where, groupBy: [sql`startMs`], orderBy: sql`startMs` }),
    bounds,
  )
}

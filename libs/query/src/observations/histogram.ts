// Counts observations over time.
import { e } from '../fields/events.ts'
import { offsetSql, zoneOf } from '../metrics/zone.ts'
import { numberField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { checkedMicrosOf } from '../times.ts'
import { type ListOptions, listingOf } from './list.ts'
import { type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'

export interface HistogramQuery extends Pick<ObservationsQuery, 'filter' | 'fromStartTime' | 'toStartTime'> {
  /** Length of a bucket in milliseconds. A bucket starts when the local time, in milliseconds since 1970, is a multiple of this length. */
  readonly stepMs: number
  /** IANA name; by default, UTC. */
  readonly timeZone?: string | undefined
}

interface Bucket {
  /**
   * Start of the bucket in milliseconds since the epoch. For buckets of a day or more, `startMs` is the start in local time, encoded as if
   * local time were UTC, because the UTC offset can change within a bucket.
   */
  readonly startMs: number
  readonly count: number
  readonly errors: number
}

const dayMs = 86_400_000
const nowUs = () => BigInt(Date.now()) * 1_000n

/** `rows` is the maximum number of buckets. */
const limits: Limits = { rows: 2_000, memoryBytes: 2 ** 29, readBytes: 2 ** 36 }

/** Buckets without observations are absent. Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export async function readHistogram(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(15, 'counts over time') }: ListOptions<HistogramQuery>,
  pricesOf: PricesOf,
): Promise<readonly Bucket[]> {
  const { stepMs, timeZone, ...filtered } = query
  const given = conditionsOf(filtered)
  const bounds: Bounds = { limits, deadline, signal, comment: 'observations.histogram' }
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await withoutPrices(columnStore, { conditions: given, scope, bounds }, pricesOf)
  const { show } = listingOf(projectId, conditions, { fields: {}, isWhole: false, size: sql`0` })
  const range = [query.fromStartTime, query.toStartTime] as const
  const [from, to] = [range[0] === undefined ? 0n : checkedMicrosOf(range[0]), range[1] === undefined ? nowUs() : checkedMicrosOf(range[1])]
  const us = sql`toUnixTimestamp64Micro(${e.start_time.sql})`
  const offset = offsetSql(zoneOf(timeZone, from, to), us)
  const local = sql`(${us} + ${offset})`
  const start = sql`${local} - positiveModulo(${local}, ${value('Int64', BigInt(stepMs) * 1_000n)})`
  const fields = {
    startMs: numberField(sql`toFloat64(intDiv(${stepMs < dayMs ? sql`${start} - ${offset}` : start}, 1000))`),
    count: numberField(sql`count()`),
    errors: numberField(sql`countIf(${e.level.sql} = 'ERROR')`),
  }
  return read(
    columnStore,
    select(newestIn(show.table, scope), fields, { where: show.where, groupBy: [sql`startMs`], orderBy: sql`startMs` }),
    bounds,
  )
}

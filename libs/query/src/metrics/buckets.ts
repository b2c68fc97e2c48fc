// Buckets of time, in UTC: which one a time is in, in the column store and here, and how it is written.
import { constant, type Sql, sql } from '../sql/sql.ts'
import { isoOfMicros } from '../times.ts'

export type Granularity = 'minute' | 'hour' | 'day' | 'week' | 'month'

const minute = 60_000_000n
const hour = 60n * minute
const day = 24n * hour
/** Weeks begin on Mondays; the first one of the epoch was its fifth day. */
const units = { minute: [minute, 0n], hour: [hour, 0n], day: [day, 0n], week: [7n * day, 4n * day] } as const

/** By the length of a range. */
export function granularityOf(lengthUs: bigint): Granularity {
  if (lengthUs < 2n * hour) return 'minute'
  if (lengthUs < 72n * hour) return 'hour'
  if (lengthUs < 60n * day) return 'day'
  return lengthUs < 365n * day ? 'week' : 'month'
}

/** A number that orders buckets: the microsecond at which one begins; of months, their count since year 0. `us`: the time as an integer. */
export function bucketSql(granularity: Granularity, time: Sql, us: Sql): Sql {
  if (granularity === 'month') return sql`toInt64(toYear(${time}, 'UTC') * 12 + toMonth(${time}, 'UTC') - 1)`
  const [unit, offset] = units[granularity]
  return sql`${us} - positiveModulo(${us} - ${constant(String(offset))}, ${constant(String(unit))})`
}

/** The same of a time here. */
export function bucketOf(granularity: Granularity, us: bigint): bigint {
  if (granularity === 'month') {
    const [year, month] = isoOfMicros(us).split('-').map(Number)
    return BigInt(year! * 12 + month! - 1)
  }
  const [unit, offset] = units[granularity]
  const past = (us - offset) % unit
  return us - (past < 0n ? past + unit : past)
}

export const nextBucket = (granularity: Granularity, bucket: bigint): bigint =>
  bucket + (granularity === 'month' ? 1n : units[granularity][0])

export function bucketText(granularity: Granularity, bucket: bigint): string {
  if (granularity === 'month') return `${String(bucket / 12n).padStart(4, '0')}-${String((bucket % 12n) + 1n).padStart(2, '0')}-01`
  const iso = isoOfMicros(bucket)
  return granularity === 'minute' || granularity === 'hour' ? `${iso.slice(0, 19)}Z` : iso.slice(0, 10)
}

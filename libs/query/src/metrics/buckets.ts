// Assigns times to buckets, such as the hours or days of a time zone. SQL and this process must give the same buckets.
import { constant, type Sql, sql } from '../sql/sql.ts'
import { isoOfMicros } from '../times.ts'
import { offsetAt, offsetSql, utc, type Zone } from './zone.ts'

export type Granularity = 'minute' | 'hour' | 'day' | 'week' | 'month'

const minute = 60_000_000n
const hour = 60n * minute
const day = 24n * hour
/** Weeks begin on Monday; the first Monday after the epoch was January 5, 1970. */
const units = { minute: [minute, 0n], hour: [hour, 0n], day: [day, 0n], week: [7n * day, 4n * day] } as const

export function granularityOf(lengthUs: bigint): Granularity {
  if (lengthUs < 2n * hour) return 'minute'
  if (lengthUs < 72n * hour) return 'hour'
  if (lengthUs < 60n * day) return 'day'
  return lengthUs < 365n * day ? 'week' : 'month'
}

/**
 * True for buckets that are identified by a point in time. When a local clock is set back, two hours have the same local time, so local
 * time cannot identify hours and minutes. Days, weeks and months are identified by a local date.
 */
const isMoment = (granularity: Granularity): boolean => granularity === 'minute' || granularity === 'hour'

/**
 * Returns a number by which buckets are sorted. For a minute or hour, the number is its start in microseconds. For a day or week, the
 * number is the local time at which the day or week starts, also in microseconds. For a month, the number is the count of months since year
 * 0. `us` is the time of the row in microseconds.
 */
export function bucketSql(granularity: Granularity, us: Sql, zone: Zone = utc): Sql {
  const isUtc = zone === utc
  const offset = offsetSql(zone, us)
  const local = isUtc ? us : sql`(${us} + ${offset})`
  if (granularity === 'month') {
    const time = sql`fromUnixTimestamp64Micro(${local}, 'UTC')`
    return sql`toInt64(toYear(${time}, 'UTC') * 12 + toMonth(${time}, 'UTC') - 1)`
  }
  const [unit, from] = units[granularity]
  const bucket = sql`${local} - positiveModulo(${local} - ${constant(String(from))}, ${constant(String(unit))})`
  return isUtc || !isMoment(granularity) ? bucket : sql`${bucket} - ${offset}`
}

/** Like `bucketSql`, in memory. */
export function bucketOf(granularity: Granularity, us: bigint, zone: Zone = utc): bigint {
  const offset = offsetAt(zone, us)
  const local = us + offset
  if (granularity === 'month') {
    const [year, month] = isoOfMicros(local).split('-').map(Number)
    return BigInt(year! * 12 + month! - 1)
  }
  const [unit, from] = units[granularity]
  const past = (local - from) % unit
  const bucket = local - (past < 0n ? past + unit : past)
  return isMoment(granularity) ? bucket - offset : bucket
}

export function nextBucket(granularity: Granularity, bucket: bigint, zone: Zone = utc): bigint {
  if (granularity === 'month') return bucket + 1n
  const next = bucket + units[granularity][0]
  return isMoment(granularity) ? bucketOf(granularity, next, zone) : next
}

export function bucketText(granularity: Granularity, bucket: bigint): string {
  if (granularity === 'month') return `${String(bucket / 12n).padStart(4, '0')}-${String((bucket % 12n) + 1n).padStart(2, '0')}-01`
  const iso = isoOfMicros(bucket)
  return isMoment(granularity) ? `${iso.slice(0, 19)}Z` : iso.slice(0, 10)
}

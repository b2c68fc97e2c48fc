// Time zones of metrics. The server computes when a zone's offset changes, and passes these times to the statement. The result therefore
// does not depend on the column store's time zone database.
import { badShape } from '../invalid-query.ts'
import { type Sql, sql, value } from '../sql/sql.ts'

export interface Zone {
  /**
   * Ascending times. `offsets[i]` applies from `changes[i]` on. The first entry is not a change of the offset, but a time before the
   * queried range.
   */
  readonly changes: readonly bigint[]
  /** Microseconds by which local time is ahead of UTC. */
  readonly offsets: readonly bigint[]
}

export const utc: Zone = { changes: [0n], offsets: [0n] }

const day = 86_400_000
/** `zoneOf` compares a zone's offsets at times that are 14 days apart, because no zone changes its offset twice in 14 days. */
const step = 14 * day

/** Throws InvalidQuery for an unknown name. Offsets such as +02:00 are not accepted. */
export function zoneOf(name: string | null | undefined, from: bigint, to: bigint): Zone {
  if (name === undefined || name === null || name === 'UTC') return utc
  const offsetOf = offsetsOf(name)
  const [first, last] = [Number(from / 1000n) - day, Number(to / 1000n) + day]
  const changes = [BigInt(first) * 1000n]
  const offsets = [offsetOf(first)]
  for (let at = first; at < last; at += step) {
    const [before, after] = [offsetOf(at), offsetOf(at + step)]
    if (before === after) continue
    changes.push(BigInt(changeBetween(at, at + step, offsetOf)) * 1000n)
    offsets.push(after)
  }
  return { changes, offsets }
}

/** Returns the first millisecond whose offset differs from that of `low`. */
function changeBetween(low: number, high: number, offsetOf: (ms: number) => bigint): number {
  const before = offsetOf(low)
  let [same, other] = [low, high]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetOf(middle) === before) same = middle
    else other = middle
  }
  return other
}

function offsetsOf(name: string): (ms: number) => bigint {
  const format = formatOf(name)
  return ms => {
    const text = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign = '+', hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? []
    const ahead = BigInt(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1_000_000n
    return sign === '-' ? -ahead : ahead
  }
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    if (/^[A-Za-z]/.test(name)) return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  } catch {
    // The error below names the unknown zone.
  }
  throw badShape({
    path: ['query', 'timeZone'],
    message: `${JSON.stringify(name.slice(0, 100))} is not an IANA time zone such as Europe/Berlin.`,
  })
}

export function offsetAt({ changes, offsets }: Zone, us: bigint): bigint {
  const at = changes.findLastIndex(change => change <= us)
  return offsets[Math.max(at, 0)] ?? 0n
}

export function offsetSql({ changes, offsets }: Zone, us: Sql): Sql {
  if (offsets.length === 1) return value('Int64', offsets[0] ?? 0n)
  return sql`arrayElement(${value('Array(Int64)', offsets)}, greatest(arrayCount(change -> change <= ${us}, ${value('Array(Int64)', changes)}), 1))`
}

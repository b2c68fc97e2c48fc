// Computes the append time of records. The append time of a record becomes the version of the record's rows. Versions of a span can arrive
// through several partitions, and the newest version wins. A later record must therefore never have an earlier time, even if the clock is
// set back.

export interface AppendTime {
  /** The newest append time of all topics and partitions. */
  readonly newestMs: number
  /** The time that the clock showed when `newestMs` was assigned. */
  readonly clockMs: number
}

/**
 * While the clock is behind the append time, the clock must advance by this number of milliseconds before the append time can rise by 1 ms.
 */
const riseMs = 2

/**
 * Computes the next append time. While the clock is behind the append time, the append time rises at most half as fast as the clock. If
 * each transaction raised this time by 1 ms, thousands of transactions per second would keep the append time ahead of the clock forever.
 */
export function nextAppendTime(before: AppendTime, nowMs: number): AppendTime {
  const { newestMs, clockMs } = before
  if (nowMs >= newestMs) return { newestMs: nowMs, clockMs: nowMs }
  const mayRise = nowMs < clockMs || nowMs - clockMs >= riseMs
  return mayRise ? { newestMs: newestMs + 1, clockMs: nowMs } : before
}

/** Returns the newest append time of a log that is being opened. `rows` includes topics that are no longer declared. */
export function storedAppendTime(rows: Iterable<{ readonly lastTimestampMs: number } | undefined>): AppendTime {
  let newestMs = 0
  for (const row of rows) newestMs = Math.max(newestMs, row?.lastTimestampMs ?? 0)
  return { newestMs, clockMs: Number.NEGATIVE_INFINITY }
}

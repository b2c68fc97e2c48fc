// All topics share one append time, which never goes back, even if the clock is set back. The append time becomes the version of a row.
// Versions of a span can arrive through several partitions, so a later record must never have an earlier time.

export interface AppendTime {
  /** Newest append time of all topics and partitions. */
  readonly newestMs: number
  /** The time of the clock when the log assigned the newest append time. */
  readonly clockMs: number
}

/** Number of milliseconds in which the append time rises by at most one millisecond while the clock is behind it. */
const riseMs = 2

/**
 * Returns the append time of the next transaction. While the clock is behind, the time rises by one millisecond per transaction, so that no
 * two versions are equal. The append time rises at most half as fast as the clock on average. Without this limit, thousands of transactions
 * per second would keep the append time ahead of the clock forever.
 */
export function nextAppendTime(before: AppendTime, nowMs: number): AppendTime {
  const { newestMs, clockMs } = before
  if (nowMs >= newestMs) return { newestMs: nowMs, clockMs: nowMs }
  const mayRise = nowMs < clockMs || nowMs - clockMs >= riseMs
  return mayRise ? { newestMs: newestMs + 1, clockMs: nowMs } : before
}

/**
 * Returns the first append time of a log that is being opened. The rows of all topics are included, even of topics that are no longer
 * declared.
 */
export function storedAppendTime(rows: Iterable<{ readonly lastTimestampMs: number } | undefined>): AppendTime {
  let newestMs = 0
  for (const row of rows) newestMs = Math.max(newestMs, row?.lastTimestampMs ?? 0)
  return { newestMs, clockMs: Number.NEGATIVE_INFINITY }
}

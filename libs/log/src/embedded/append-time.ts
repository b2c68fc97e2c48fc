// The whole log shares one append time. Rows take their version from the append time, and versions of one span may arrive through several
// partitions. So a clock that steps back must not make a later record look older.

export interface AppendTime {
  /** Newest append time of all topics and partitions. */
  readonly newestMs: number
  /** The time on the clock when the log assigned `newestMs`. */
  readonly clockMs: number
}

/** While the clock is behind, the append time rises at most one millisecond in this many milliseconds of clock time. */
const riseMs = 2

/**
 * Returns the append time of the next transaction. While the clock is behind, the time rises by one millisecond per transaction, so that no
 * two versions tie. The time rises at most half as fast as the clock. Otherwise, with thousands of transactions a second, the append time
 * would stay ahead of the clock forever.
 */
export function nextAppendTime(before: AppendTime, nowMs: number): AppendTime {
  const { newestMs, clockMs } = before
  if (nowMs >= newestMs) return { newestMs: nowMs, clockMs: nowMs }
  // If the clock shows less than before, it has just been set back.
  const mayRise = nowMs < clockMs || nowMs - clockMs >= riseMs
  return mayRise ? { newestMs: newestMs + 1, clockMs: nowMs } : before
}

/** Returns the append time of a log that is being opened. The rows of all topics are considered, even of topics that are not declared. */
export function storedAppendTime(rows: Iterable<{ readonly lastTimestampMs: number } | undefined>): AppendTime {
  let newestMs = 0
  for (const row of rows) newestMs = Math.max(newestMs, row?.lastTimestampMs ?? 0)
  return { newestMs, clockMs: Number.NEGATIVE_INFINITY }
}

// The whole log shares one append time. Rows take their version from the append time, and versions of one span may arrive through several
// partitions. So a clock that steps back must not make a later record look older.

export interface AppendTime {
  /** Newest append time of all topics and partitions. */
  readonly newestMs: number
  /** What the clock showed when the log assigned that time. */
  readonly clockMs: number
}

/** While the clock is behind, the append time rises by one millisecond per this much clock time at most. */
const riseMs = 2

/**
 * Returns the append time of the next transaction. While the clock is behind, the time rises by one millisecond per transaction, so that no
 * two versions tie. It rises at most at half the clock's pace. Otherwise, with thousands of transactions a second, the append time would
 * stay ahead of the clock forever.
 */
export function nextAppendTime(before: AppendTime, nowMs: number): AppendTime {
  const { newestMs, clockMs } = before
  if (nowMs >= newestMs) return { newestMs: nowMs, clockMs: nowMs }
  // If the clock shows less than before, it has just been set back.
  const mayRise = nowMs < clockMs || nowMs - clockMs >= riseMs
  return mayRise ? { newestMs: newestMs + 1, clockMs: nowMs } : before
}

/** Returns the append time of a log that is being opened, from the rows of declared and undeclared topics. */
export function storedAppendTime(rows: Iterable<{ readonly lastTimestampMs: number } | undefined>): AppendTime {
  let newestMs = 0
  for (const row of rows) newestMs = Math.max(newestMs, row?.lastTimestampMs ?? 0)
  return { newestMs, clockMs: Number.NEGATIVE_INFINITY }
}

// One append time for the whole log. Rows are as new as their records, and the versions of a span may come
// through any partition, so a clock that steps back must not make a later record the older one.

export interface AppendTime {
  /** Newest append time of all topics and partitions. */
  readonly newestMs: number
  /** What the clock read when that time was given. */
  readonly clockMs: number
}

/** Clock time that a rise of one millisecond takes at least, while the clock is behind. */
const riseMs = 2

/**
 * Time of the next transaction. While the clock is behind, it rises by a millisecond each, so that no two versions tie, but at
 * half the clock's pace at most: a disk with thousands of transactions a second would else run ahead of it for ever.
 */
export function nextAppendTime(before: AppendTime, nowMs: number): AppendTime {
  const { newestMs, clockMs } = before
  if (nowMs >= newestMs) return { newestMs: nowMs, clockMs: nowMs }
  // Below what it read last the clock has just been set back.
  const mayRise = nowMs < clockMs || nowMs - clockMs >= riseMs
  return mayRise ? { newestMs: newestMs + 1, clockMs: nowMs } : before
}

/** Time of a log that is opened: as of its rows, whether their topics are declared or not. */
export function storedAppendTime(rows: Iterable<{ readonly lastTimestampMs: number } | undefined>): AppendTime {
  let newestMs = 0
  for (const row of rows) newestMs = Math.max(newestMs, row?.lastTimestampMs ?? 0)
  return { newestMs, clockMs: Number.NEGATIVE_INFINITY }
}

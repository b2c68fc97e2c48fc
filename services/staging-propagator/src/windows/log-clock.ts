// The log's time: append times of records, advanced by the monotonic clock, because a wall clock can be wrong or set back. It is never
// ahead of the broker's clock, so no window closes while a new record could still belong to it.

export interface LogClock {
  /**
   * Reports the append time of a record that was just read. Only the newest time of each source counts, so that the log clock follows a
   * broker's clock that was set back.
   */
  seen(source: 'staging' | 'changelog', timestampMs: number): void
  /** Milliseconds since the epoch; null before the first record. */
  now(): number | null
}

export function createLogClock(monotonicNow: () => number): LogClock {
  const ahead: Record<'staging' | 'changelog', number | null> = { staging: null, changelog: null }
  return {
    seen(source, timestampMs) {
      ahead[source] = timestampMs - monotonicNow()
    },
    now() {
      if (ahead.staging === null && ahead.changelog === null) return null
      const lead = Math.max(ahead.staging ?? Number.NEGATIVE_INFINITY, ahead.changelog ?? Number.NEGATIVE_INFINITY)
      return lead + monotonicNow()
    },
  }
}

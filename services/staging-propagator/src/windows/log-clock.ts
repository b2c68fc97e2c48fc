// The time on the log. The log clock computes this time from append times of records and from this process's monotonic clock, because a
// wall clock can be wrong or be set back. The log clock is never ahead of the broker's clock, so no window closes while a new record could
// still belong to it.

export interface LogClock {
  /**
   * Reports the append time of a record that was just read from the log. Only the newest append time of each source is used, so that the
   * clock follows the clock of a broker that was set back.
   */
  seen(source: 'staging' | 'changelog', timestampMs: number): void
  /** The time in milliseconds since the epoch, which is never ahead of the broker; null if no record was read yet. */
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

// The time on the log, without a clock that may be wrong or set: append times of records, continued by this process's monotonic clock. It
// never runs ahead of the broker's, so no window closes while a record may still enter it.

export interface LogClock {
  /**
   * A record with this append time has just been read; of each source the newest reading counts, so that a
   * clock that was set back is followed.
   */
  seen(source: 'staging' | 'changelog', timestampMs: number): void
  /** Milliseconds since the epoch, at most the broker's; null before anything was read. */
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

// The log clock tells the log's time: the append time that was read last, advanced by the monotonic clock. A wall clock is not used,
// because it can be wrong or set back. The log clock is never ahead of the broker's clock. A window therefore does not close while a new
// record could still belong to it.

export interface LogClock {
  /**
   * Tells the log clock the append time of a record that the caller has just read. Only the last reported time of each source counts. If a
   * broker's clock was set back, the log clock therefore follows the broker's clock.
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

// Computes the time T such that all scores acknowledged before T are readable (ADR 0032). The API computes T only when a read needs T, at
// most once every five seconds.

import type { EventLog } from '@svc-server/log'
import { createPatientRefresh } from '@svc-server/service/health'
import { createSeldomLog, type Logger } from '@svc-server/service/logs'
import { type CompletenessPath, createCompleteness } from '@svc-server/stream/completeness'

export interface CompleteUntilOptions {
  readonly log: Pick<EventLog, 'lag'>
  readonly clock: () => number
  readonly logger: Logger
  readonly maxAgeMs?: number
  readonly patienceMs?: number
}

/**
 * Returns T in ISO 8601, or undefined if T is unknown. Callers must call this function before they read the rows. A call after the read
 * could return a T that is too late: the rows could lack data that was acknowledged before T.
 */
export type CompleteUntil = (paths: readonly CompletenessPath[]) => Promise<string | undefined>

export function createCompleteUntil({ log, clock, logger, maxAgeMs = 5_000, patienceMs = 250 }: CompleteUntilOptions): CompleteUntil {
  const completeness = createCompleteness()
  const seldom = createSeldomLog(logger, clock, 'alsoFailed')
  let askedMs = Number.NEGATIVE_INFINITY
  async function refresh(): Promise<void> {
    const startedMs = clock()
    const lags = await log.lag()
    completeness.observe(lags, startedMs, clock())
  }
  const refreshed = createPatientRefresh(
    refresh,
    err => seldom.note('lag', 'warn', { err }, 'The time until which scores are complete could not be determined'),
    patienceMs,
  )
  return async paths => {
    if (Math.abs(clock() - askedMs) >= maxAgeMs) {
      // `askedMs` is set before the wait, so later requests within `maxAgeMs` do not ask the log. If the log does not respond, only this
      // request waits.
      askedMs = clock()
      await refreshed()
    }
    const untilMs = paths.reduce((least, path) => Math.min(least, completeness.until(path) ?? Number.NaN), Number.POSITIVE_INFINITY)
    return Number.isNaN(untilMs) ? undefined : new Date(untilMs).toISOString()
  }
}

// Says in the log that requests are refused, without a line for each: an outage refuses thousands a second, and the log must not be the next one.
import type { AppError } from '@svc-server/errors'
import type { Logger } from '@svc-server/service/logs'

const quietMs = 10_000

/** The first refusal of a code is logged, then one every ten seconds with the number of those in between. */
export function createRefusalLog(logger: Logger, clock: () => number) {
  const byCode = new Map<string, { lastMs: number; suppressed: number }>()
  return {
    note(error: AppError): void {
      const nowMs = clock()
      const seen = byCode.get(error.code)
      if (seen !== undefined && Math.abs(nowMs - seen.lastMs) < quietMs) {
        seen.suppressed++
        return
      }
      byCode.set(error.code, { lastMs: nowMs, suppressed: 0 })
      const level = error.definition.class === 'invalid' ? 'info' : 'warn'
      logger[level]({ code: error.code, status: error.definition.http, alsoRefused: seen?.suppressed ?? 0 }, error.message)
    },
  }
}

import type { AppError } from '@svc-server/errors'
import { createSeldomLog, type Logger } from '@svc-server/service/logs'

/** Logs the first refusal of each code, then one every ten seconds with the number of those left out. */
export function createRefusalLog(logger: Logger, clock: () => number) {
  const seldom = createSeldomLog(logger, clock, 'alsoRefused')
  return {
    note(error: AppError): void {
      const level = error.definition.class === 'invalid' ? 'info' : 'warn'
      seldom.note(error.code, level, { code: error.code, status: error.definition.http }, error.message)
    },
  }
}

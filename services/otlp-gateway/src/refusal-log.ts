import type { AppError } from '@svc-server/errors'
import { createSeldomLog, type Logger } from '@svc-server/service/logs'

/**
 * Logs the first refusal of each code, and then at most one refusal with this code every ten seconds. The field `alsoRefused` of a line
 * counts the refusals with the line's code that were not logged since the previous line with this code.
 */
export function createRefusalLog(logger: Logger, clock: () => number) {
  const seldom = createSeldomLog(logger, clock, 'alsoRefused')
  return {
    note(error: AppError): void {
      const level = error.definition.class === 'invalid' ? 'info' : 'warn'
      seldom.note(error.code, level, { code: error.code, status: error.definition.http }, error.message)
    },
  }
}

// Logs frequent events at a limited rate. Without the limit, an event that occurs thousands of times per second could make the log output
// fail.
import type { Logger } from './logger.ts'

const quietMs = 10_000

export interface SeldomLog {
  /** Every kind stays in memory, so there must be only a few kinds. */
  note(kind: string, level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>, sentence: string): void
}

/**
 * Logs the first event of each kind, and then at most one event of this kind every ten seconds. `also` is the name of a field in the log
 * line. The field contains the number of events since the previous line of that kind.
 */
export function createSeldomLog(logger: Pick<Logger, 'info' | 'warn'>, clock: () => number, also: string): SeldomLog {
  const byKind = new Map<string, { lastMs: number; suppressed: number }>()
  return {
    note(kind, level, fields, sentence) {
      const nowMs = clock()
      const seen = byKind.get(kind)
      if (seen !== undefined && Math.abs(nowMs - seen.lastMs) < quietMs) {
        seen.suppressed++
        return
      }
      byKind.set(kind, { lastMs: nowMs, suppressed: 0 })
      logger[level]({ ...fields, [also]: seen?.suppressed ?? 0 }, sentence)
    },
  }
}

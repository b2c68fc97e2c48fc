// Says in the log what may happen thousands of times a second, without a line for each: the log must not be
// the next thing that fails.
import type { Logger } from './logger.ts'

const quietMs = 10_000

export interface SeldomLog {
  /** Kinds are few: each is remembered. */
  note(kind: string, level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>, sentence: string): void
}

/** The first of a kind is logged, then one every ten seconds, with the number of those in between under `also`. */
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

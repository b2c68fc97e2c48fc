// Determines the time from which the events tables have all rows written in dual mode. After a return to v3 and a second upgrade, rows from
// before the return were deleted, although the log still has their records. Rows that v3 stored in the meantime are not on the log.
import type { StepRow } from '@svc-server/relational/background-migrations'
import type { Session } from './session.ts'

/** A margin for different clocks of column store and log. A later time is safe, because existing rows are not written again. */
const clockMarginMs = 60_000

/** Milliseconds since the epoch; 0 if the tables have been complete since the first record. */
export async function completeSince({ query, dialect }: Session, { anewMs }: Pick<StepRow, 'anewMs'>): Promise<number> {
  const [row] = await query<{ readonly made: string }>(
    `SELECT toString(toUnixTimestamp64Milli(max(at))) AS made FROM ${dialect.table('svc_migrations')}
     WHERE list = 'shared' AND name = 'events_full' AND state = 'applied'`,
  )
  const madeMs = Number(row?.made ?? 0)
  return Math.max(madeMs > 0 ? madeMs + clockMarginMs : 0, anewMs ?? 0)
}

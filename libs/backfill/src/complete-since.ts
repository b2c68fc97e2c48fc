// Determines the time from which the events tables contain all rows that were written in dual mode. After a return to v3 and a second
// upgrade, the log still has records from the first time in dual mode. The rows of records from before the return were deleted with the
// events tables. The log has no records of the rows that v3 stored in the meantime.
import type { StepRow } from '@svc-server/relational/background-migrations'
import type { Session } from './session.ts'

/**
 * A margin for the difference between the clocks of the column store and the log. A later time is safe, because the backfill does not write
 * existing rows again.
 */
const clockMarginMs = 60_000

/** Returns milliseconds since the epoch; 0 if the tables have been complete since the first record. */
export async function completeSince({ query, dialect }: Session, { anewMs }: Pick<StepRow, 'anewMs'>): Promise<number> {
  const [row] = await query<{ readonly made: string }>(
    `SELECT toString(toUnixTimestamp64Milli(max(at))) AS made FROM ${dialect.table('svc_migrations')}
     WHERE list = 'shared' AND name = 'events_full' AND state = 'applied'`,
  )
  const madeMs = Number(row?.made ?? 0)
  return Math.max(madeMs > 0 ? madeMs + clockMarginMs : 0, anewMs ?? 0)
}

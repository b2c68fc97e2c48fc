// Determines the time since which the services have also written every row to the events tables (dual mode). If an installation returned
// to v3 and was upgraded again, the log cannot show when the dual mode began, for two reasons. The return dropped the events tables with
// their rows, but the log still has the records of these rows. And the log has no records of the rows that v3 stored before the second
// upgrade.
import type { StepRow } from '@svc-server/relational/background-migrations'
import type { Session } from './session.ts'

/**
 * Margin for a difference between the clocks of column store and log. If `completeSince` returns a time that is too late, this is safe: the
 * backfill then also reads rows that already exist in the events tables, and does not write these rows again.
 */
const clockMarginMs = 60_000

/** Returns milliseconds since the epoch. Returns 0 if the tables have been complete since the first record. */
export async function completeSince({ query, dialect }: Session, { anewMs }: Pick<StepRow, 'anewMs'>): Promise<number> {
  const [row] = await query<{ readonly made: string }>(
    `SELECT toString(toUnixTimestamp64Milli(max(at))) AS made FROM ${dialect.table('svc_migrations')}
     WHERE list = 'shared' AND name = 'events_full' AND state = 'applied'`,
  )
  const madeMs = Number(row?.made ?? 0)
  return Math.max(madeMs > 0 ? madeMs + clockMarginMs : 0, anewMs ?? 0)
}

// Determines since when the events tables are complete for dual writing. After a return to v3 and another upgrade,
// the log still has older records marked as dual. Their rows were deleted with the tables, and no record contains the
// rows that v3 stored since.
import type { StepRow } from '@svc-server/relational/background-migrations'
import type { Session } from './session.ts'

/**
 * The clocks of the column store and of the log differ. A later time than needed is safe, because the backfill does
 * not write existing rows again.
 */
const clockMarginMs = 60_000

/** Milliseconds since the epoch. 0 means always. */
export async function completeSince({ query, dialect }: Session, { anewMs }: Pick<StepRow, 'anewMs'>): Promise<number> {
  const [row] = await query<{ readonly made: string }>(
    `SELECT toString(toUnixTimestamp64Milli(max(at))) AS made FROM ${dialect.table('svc_migrations')}
     WHERE list = 'shared' AND name = 'events_full' AND state = 'applied'`,
  )
  const madeMs = Number(row?.made ?? 0)
  return Math.max(madeMs > 0 ? madeMs + clockMarginMs : 0, anewMs ?? 0)
}

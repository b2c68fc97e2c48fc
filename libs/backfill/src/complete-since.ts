// From when on the events tables have what dual writing brought them. After a way back to v3 and up again the log still has records of before, which say
// that they were accepted with dual write: their rows went with the tables, and what v3 has stored since is in no record at all.
import type { StepRow } from '@svc-server/relational/background-migrations'
import type { Session } from './session.ts'

/** The clocks of the column store and of the log are not one. Later than needed is safe: what is there is not written again. */
const clockMarginMs = 60_000

/** Milliseconds since the epoch; 0: always. */
export async function completeSince({ query, dialect }: Session, { anewMs }: Pick<StepRow, 'anewMs'>): Promise<number> {
  const [row] = await query<{ readonly made: string }>(
    `SELECT toString(toUnixTimestamp64Milli(max(at))) AS made FROM ${dialect.table('svc_migrations')}
     WHERE list = 'shared' AND name = 'events_full' AND state = 'applied'`,
  )
  const madeMs = Number(row?.made ?? 0)
  return Math.max(madeMs > 0 ? madeMs + clockMarginMs : 0, anewMs ?? 0)
}

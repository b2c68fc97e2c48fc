// Months as in the old tables' partitions: YYYYMM in the server's own time zone, because their times have none.
import { literal } from '@svc-server/column-store/literal'
import type { Session } from './session.ts'

/**
 * SQL condition for a month's rows by time, whatever time zone the column displays. The engine prunes partitions and
 * keys by it.
 */
export function monthBounds(column: string, month: number): string {
  const next = month % 100 === 12 ? month + 89 : month + 1
  return `${column} >= toDateTime64('${firstDay(month)} 00:00:00', 6) AND ${column} < toDateTime64('${firstDay(next)} 00:00:00', 6)`
}

const firstDay = (month: number) => `${String(month).slice(0, 4)}-${String(month).slice(4)}-01`

/** Returns the months in which a table has rows, from its parts. */
export async function monthsOf({ query }: Pick<Session, 'query'>, table: string): Promise<readonly number[]> {
  const rows = await query<{ month: string }>(
    `SELECT DISTINCT partition AS month FROM system.parts WHERE database = currentDatabase() AND table = ${literal(table)} AND active`,
  )
  return rows.map(({ month }) => Number(month))
}

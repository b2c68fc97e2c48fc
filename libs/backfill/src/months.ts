// Months are numbers YYYYMM in the column store's time zone. The time columns of the old tables have no time zone of their own, so the
// partitions of these tables also use the column store's time zone.
import { literal } from '@svc-server/column-store/literal'
import type { Session } from './session.ts'

/**
 * Returns an SQL condition for the rows of a month. The column can have any time zone. With this condition, the engine can skip partitions
 * and granules.
 */
export function monthBounds(column: string, month: number): string {
  const next = month % 100 === 12 ? month + 89 : month + 1
  return `${column} >= toDateTime64('${firstDay(month)} 00:00:00', 6) AND ${column} < toDateTime64('${firstDay(next)} 00:00:00', 6)`
}

const firstDay = (month: number) => `${String(month).slice(0, 4)}-${String(month).slice(4)}-01`

/** Returns the months of the table's parts. */
export async function monthsOf({ query }: Pick<Session, 'query'>, table: string): Promise<readonly number[]> {
  const rows = await query<{ month: string }>(
    `SELECT DISTINCT partition AS month FROM system.parts WHERE database = currentDatabase() AND table = ${literal(table)} AND active`,
  )
  return rows.map(({ month }) => Number(month))
}

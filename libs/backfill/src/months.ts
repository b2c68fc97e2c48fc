// Months as the old tables' partitions have them: YYYYMM by the server's own zone, since their times have none.
import { literal } from '@svc-server/column-store/literal'
import type { Session } from './session.ts'

/** Rows of a month by their time, whatever zone the column shows: the engine prunes partitions and keys by it. */
export function monthBounds(column: string, month: number): string {
  const next = month % 100 === 12 ? month + 89 : month + 1
  return `${column} >= toDateTime64('${firstDay(month)} 00:00:00', 6) AND ${column} < toDateTime64('${firstDay(next)} 00:00:00', 6)`
}

const firstDay = (month: number) => `${String(month).slice(0, 4)}-${String(month).slice(4)}-01`

/** Those in which a table has rows, by its parts. */
export async function monthsOf({ query }: Pick<Session, 'query'>, table: string): Promise<readonly number[]> {
  const rows = await query<{ month: string }>(
    `SELECT DISTINCT partition AS month FROM system.parts WHERE database = currentDatabase() AND table = ${literal(table)} AND active`,
  )
  return rows.map(({ month }) => Number(month))
}

// Months as the old tables' partitions have them: YYYYMM by the server's own zone, since their times have none.

/** Rows of a month by their time, whatever zone the column shows: the engine prunes partitions and keys by it. */
export function monthBounds(column: string, month: number): string {
  const next = month % 100 === 12 ? month + 89 : month + 1
  return `${column} >= toDateTime64('${firstDay(month)} 00:00:00', 6) AND ${column} < toDateTime64('${firstDay(next)} 00:00:00', 6)`
}

const firstDay = (month: number) => `${String(month).slice(0, 4)}-${String(month).slice(4)}-01`

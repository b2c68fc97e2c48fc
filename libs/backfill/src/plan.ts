// What is to be migrated, by the old tables' own statistics: for people, before it begins.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Limits } from './chunks.ts'

export interface PlannedMonth {
  readonly table: string
  readonly month: string
  readonly rows: number
  /** At least so many: fewer rows go into one where they are large. */
  readonly chunks: number
}

/** The newest month first. Run items have no partitions: theirs are those in which they were made. */
export async function planOf(columnStore: Pick<ColumnStore, 'query'>, { maxRows }: Limits): Promise<readonly PlannedMonth[]> {
  const rows = await columnStore.query<{ table: string; month: string; rows: string }>(
    `SELECT * FROM (
       SELECT table, partition AS month, sum(rows) AS rows FROM system.parts
       WHERE database = currentDatabase() AND table IN ('traces', 'observations') AND active GROUP BY table, month
       UNION ALL SELECT 'dataset_run_items_rmt', toString(toYYYYMM(created_at)) AS month, count() FROM dataset_run_items_rmt GROUP BY month
     ) ORDER BY month DESC, table`,
  )
  return rows.map(row => ({ ...row, rows: Number(row.rows), chunks: Math.ceil(Number(row.rows) / maxRows) }))
}

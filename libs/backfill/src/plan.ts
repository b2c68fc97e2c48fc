// Estimates how much data the backfill must migrate, from the statistics of the old tables. `svc backfill plan` shows the estimate.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Limits } from './chunks.ts'

export interface PlannedMonth {
  readonly table: string
  readonly month: string
  readonly rows: number
  /** Minimum number of chunks: the number of rows, divided by the maximum number of rows in a chunk. Large rows need more chunks. */
  readonly chunks: number
}

/**
 * Returns the months, newest month first. In the tables of traces and observations, a month is a partition. The table of run items has no
 * partitions, so a run item counts in the month of its creation.
 */
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

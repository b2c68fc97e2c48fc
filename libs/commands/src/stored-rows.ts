// Counts the readable rows of a project, or of some of its traces.
import type { ColumnStore } from '@svc-server/column-store/port'
import { counted } from '@svc-server/errors'

/**
 * Tables with rows of traces, and the trace id column of each table. events_core is left out, because it has the same rows as events_full.
 */
const traceColumns = {
  events_full: 'trace_id',
  observations: 'trace_id',
  traces: 'id',
  scores: 'trace_id',
  dataset_run_items_rmt: 'trace_id',
} as const

type TableWithTraces = keyof typeof traceColumns
const tables = Object.keys(traceColumns) as readonly TableWithTraces[]

export type RowCounts = Readonly<Record<TableWithTraces, number>>

export async function readableRows(columnStore: ColumnStore, projectId: string, traceIds?: readonly string[]): Promise<RowCounts> {
  const counts = {} as Record<TableWithTraces, number>
  for (const table of tables) {
    const ofTraces = traceIds === undefined ? '' : ` AND ${traceColumns[table]} IN {traceIds:Array(String)}`
    const [row] = await columnStore.query<{ readonly found: string }>(
      `SELECT count() AS found FROM ${table} FINAL WHERE project_id = {projectId:String}${ofTraces} AND is_deleted = 0`,
      { projectId, ...(traceIds && { traceIds }) },
    )
    counts[table] = Number(row?.found ?? 0)
  }
  return counts
}

export const sumOf = (counts: RowCounts): number => tables.reduce((sum, table) => sum + counts[table], 0)

/** Returns an empty text if all counts are 0. */
export const sayCounts = (counts: RowCounts): string =>
  tables
    .filter(table => counts[table] > 0)
    .map(table => `${counted(counts[table], 'row')} of ${table}`)
    .join(', ')

/** Returns the traces with a readable row in any table. */
export async function readableTraces(
  columnStore: ColumnStore,
  projectId: string,
  traceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const table of tables) {
    const column = traceColumns[table]
    const rows = await columnStore.query<{ readonly trace: string }>(
      `SELECT DISTINCT ${column} AS trace FROM ${table} FINAL
       WHERE project_id = {projectId:String} AND ${column} IN {traceIds:Array(String)} AND is_deleted = 0`,
      { projectId, traceIds },
    )
    for (const { trace } of rows) found.add(trace)
  }
  return found
}

import type { ColumnStore } from '@svc-server/column-store/port'
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface StoredTrace {
  readonly observations: number
  readonly roots: number
  /** Time of the newest row, in milliseconds since the epoch. Null without rows. */
  readonly newestMs: number | null
}

export interface StoredOptions {
  readonly columnStore: Pick<ColumnStore, 'query'>
  readonly projectId: string
  readonly traceId: string
  readonly writeMode: WriteMode
  readonly signal?: AbortSignal | undefined
}

type Row = Readonly<Record<'observations' | 'roots' | 'newest', string>>

const limits = "SETTINGS max_execution_time = 10, max_rows_to_group_by = 1000000, group_by_overflow_mode = 'any'"

/**
 * Counts distinct observations. Every version of a row has the trace id, so the query can filter by trace id before it selects the newest
 * version of each row. An index can then skip other traces.
 */
const sqlOf = (table: string, id: string, isRoot: string) => `
SELECT countIf(NOT deleted) AS observations, countIf(NOT deleted AND root) AS roots, maxIf(newest, NOT deleted) AS newest
FROM (
  SELECT argMax(is_deleted, event_ts) = 1 AS deleted, argMax(${isRoot}, event_ts) AS root, toUnixTimestamp64Milli(max(event_ts)) AS newest
  FROM ${table} WHERE project_id = {projectId:String} AND trace_id = {traceId:String} GROUP BY ${id}
) ${limits}`

const inEvents = sqlOf('events_core', 'span_id', "parent_span_id = ''")
const inOldTable = sqlOf('observations', 'id', "ifNull(parent_observation_id, '') = ''")

/** Reads the table that queries use in this write mode: `observations` in `legacy`, and `events_core` in all other modes. */
export async function storedTrace({ columnStore, projectId, traceId, writeMode, signal }: StoredOptions): Promise<StoredTrace> {
  const ask = async (sql: string): Promise<StoredTrace> => {
    const [row] = await columnStore.query<Row>(sql, { projectId, traceId }, signal && { signal })
    const observations = Number(row?.observations ?? 0)
    return { observations, roots: Number(row?.roots ?? 0), newestMs: observations === 0 ? null : Number(row!.newest) }
  }
  if (writeMode === 'legacy') return ask(inOldTable)
  return ask(inEvents)
}

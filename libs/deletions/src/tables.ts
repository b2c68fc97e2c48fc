// Lists the tables with rows of traces and projects, and the names of their columns. All code that deletes rows uses
// this list.
import type { ColumnStore } from '@svc-server/column-store/port'

export interface DeletableTable {
  readonly table: string
  /** Column of the trace. Null when rows belong to a project alone. */
  readonly trace: string | null
  /** Time column that bounds the table's parts, or null. */
  readonly time: string | null
  /**
   * How rows are hidden at once: the columns of a tombstone besides version and flag, and the function from version
   * steps. Null when a view creates the tombstones, or when no reader reads the rows by key.
   */
  readonly tombstone: { readonly columns: readonly string[]; readonly tick: string } | null
  /**
   * For tables where versions of one item may have several keys or traces: the sorting key, and the columns that all
   * versions share. The newest version counts, and deleting it also deletes all older ones. Null when the key
   * contains the trace and the time.
   */
  readonly versions: { readonly key: readonly string[]; readonly identity: readonly string[] } | null
  /** True when rows expire with a project's retention. Run items stay, as in v3. */
  readonly expires: boolean
}

const millisecond = 'toIntervalMillisecond'
const observationsKey = ['project_id', 'type', 'toDate(start_time)', 'id']

/**
 * Every table with rows of projects, except the ledger and the audit, which hold offsets without content, and scratch
 * tables of a backfill that hold only ids.
 */
export const deletableTables: readonly DeletableTable[] = [
  {
    table: 'events_full',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'span_id', 'start_time'], tick: 'toIntervalMicrosecond' },
    versions: null,
    expires: true,
  },
  // The view forwards tombstones but no DELETE.
  { table: 'events_core', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  {
    table: 'observations',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'type', 'start_time', 'id'], tick: millisecond },
    // The id alone is not enough, because spans of two traces may share one.
    versions: { key: observationsKey, identity: observationsKey },
    expires: true,
  },
  {
    table: 'traces',
    trace: 'id',
    time: 'timestamp',
    tombstone: { columns: ['project_id', 'timestamp', 'id'], tick: millisecond },
    versions: { key: ['project_id', 'toDate(timestamp)', 'id'], identity: ['project_id', 'id'] },
    expires: true,
  },
  {
    table: 'scores',
    trace: 'trace_id',
    time: 'timestamp',
    tombstone: { columns: ['project_id', 'timestamp', 'name', 'id', 'trace_id'], tick: millisecond },
    versions: { key: ['project_id', 'toDate(timestamp)', 'name', 'id'], identity: ['project_id', 'id'] },
    expires: true,
  },
  {
    table: 'dataset_run_items_rmt',
    trace: 'trace_id',
    time: null,
    tombstone: { columns: ['project_id', 'dataset_id', 'dataset_run_id', 'id', 'trace_id'], tick: millisecond },
    // The id contains the run and the trace.
    versions: null,
    expires: false,
  },
  // Names of SDKs, and counts.
  { table: 'sdk_usage', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // v3's list of its ingestion files, which names no trace.
  { table: 'blob_storage_file_log', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // Copies of client data that a backfill joins. They stay after it until an operator drops them.
  { table: 'observations_pid_tid_sorting', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  { table: 'traces_pid_tid_sorting', trace: 'id', time: 'timestamp', tombstone: null, versions: null, expires: true },
  { table: 'backfill_experiments', trace: 'trace_id', time: 'created_at', tombstone: null, versions: null, expires: false },
]

/**
 * Returns the tables that this column store has: v3's own may be dropped, and a backfill's are dropped in the end.
 * Rejects with column_store_*.
 */
export async function existingTables(
  columnStore: Pick<ColumnStore, 'query' | 'database'>,
  tables: readonly DeletableTable[] = deletableTables,
): Promise<readonly DeletableTable[]> {
  const found = await columnStore.query<{ readonly name: string }>('SELECT name FROM system.tables WHERE database = {database:String}', {
    database: columnStore.database,
  })
  return tables.filter(({ table }) => found.some(({ name }) => name === table))
}

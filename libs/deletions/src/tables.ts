// Lists the tables with rows of traces and projects, and the names of their columns. All code that deletes rows of traces or projects uses
// this list.
import type { ColumnStore } from '@svc-server/column-store/port'

export interface DeletableTable {
  readonly table: string
  /** Column with the trace id. Null when rows belong only to a project. */
  readonly trace: string | null
  /** Time column that bounds the table's parts, or null. */
  readonly time: string | null
  /**
   * How rows are hidden immediately: the columns of a tombstone (except version and flag), and the SQL function whose result for n is added
   * to a version to make it n ticks newer. Null when a view creates the tombstones, or when no reader reads the rows by key.
   */
  readonly tombstone: { readonly columns: readonly string[]; readonly tick: string } | null
  /**
   * For tables in which the versions of one item can have different keys or traces: the sorting key, and the columns that all versions
   * share. Only the newest version is valid, and a deletion of this version also deletes all older versions. Null when the key contains the
   * trace and the time.
   */
  readonly versions: { readonly key: readonly string[]; readonly identity: readonly string[] } | null
  /** True when rows expire with a project's retention. Run items stay, as in v3. */
  readonly expires: boolean
}

const millisecond = 'toIntervalMillisecond'
const observationsKey = ['project_id', 'type', 'toDate(start_time)', 'id']

/**
 * Every table with rows of projects, except the ledger and the audit, which contain offsets without content, and scratch tables of a
 * backfill that contain only ids.
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
  // The materialized view copies tombstones, but does not repeat a DELETE.
  { table: 'events_core', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  {
    table: 'observations',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'type', 'start_time', 'id'], tick: millisecond },
    // The id alone does not identify a span, because spans of two traces can have the same id.
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
    // The id is derived from the run and the trace.
    versions: null,
    expires: false,
  },
  // Contains names of SDKs and counts.
  { table: 'sdk_usage', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // v3's list of its ingestion files. It does not name traces.
  { table: 'blob_storage_file_log', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // These tables are copies of client data that a backfill joins. After the backfill they stay until an operator drops them.
  { table: 'observations_pid_tid_sorting', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  { table: 'traces_pid_tid_sorting', trace: 'id', time: 'timestamp', tombstone: null, versions: null, expires: true },
  { table: 'backfill_experiments', trace: 'trace_id', time: 'created_at', tombstone: null, versions: null, expires: false },
]

/**
 * Returns the tables of the list that this column store has: v3's tables may have been dropped, and a backfill's tables are dropped in the
 * end. Rejects with column_store_*.
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

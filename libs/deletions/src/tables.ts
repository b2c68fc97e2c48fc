// Where rows of traces and projects are, and what each table calls them: the one list of whoever deletes some.
import type { ColumnStore } from '@svc-server/column-store/port'

export interface DeletableTable {
  readonly table: string
  /** Column that names the trace; null: rows belong to a project alone. */
  readonly trace: string | null
  /** Column by which its parts are told apart in time; null: none. */
  readonly time: string | null
  /**
   * How its rows are hidden at once: columns that a tombstone has besides version and flag, and the function that makes steps of the version. Null: a view
   * does it, or nobody reads its rows by key.
   */
  readonly tombstone: { readonly columns: readonly string[]; readonly tick: string } | null
  /**
   * Where versions of one thing may stand under several keys, or belong to several traces: its sorting key, and what all versions share. The newest one
   * counts, and is deleted with all that are older. Null: keys have the trace and the time.
   */
  readonly versions: { readonly key: readonly string[]; readonly identity: readonly string[] } | null
  /** Its rows go by their age where a project keeps them for so many days. Run items stay, as v3 has it. */
  readonly expires: boolean
}

const millisecond = 'toIntervalMillisecond'
const observationsKey = ['project_id', 'type', 'toDate(start_time)', 'id']

/**
 * Every table with rows of projects. Without a line: the ledger and the audit, which have offsets and no content, and the scratch tables of a
 * backfill that have nothing but ids.
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
  // The view forwards tombstones, and no DELETE.
  { table: 'events_core', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  {
    table: 'observations',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'type', 'start_time', 'id'], tick: millisecond },
    // Not the id alone: spans of two traces may have the same.
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
    // Its id is made of its run and its trace.
    versions: null,
    expires: false,
  },
  // Names of SDKs, and counts.
  { table: 'sdk_usage', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // v3's list of the files of its ingestion, which names no trace.
  { table: 'blob_storage_file_log', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // Copies that a backfill joins, with what clients sent. They outlive it until an operator has them dropped.
  { table: 'observations_pid_tid_sorting', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  { table: 'traces_pid_tid_sorting', trace: 'id', time: 'timestamp', tombstone: null, versions: null, expires: true },
  { table: 'backfill_experiments', trace: 'trace_id', time: 'created_at', tombstone: null, versions: null, expires: false },
]

/** Those that this column store has: v3's own may be gone, and a backfill's are dropped in the end. Rejects with column_store_*. */
export async function existingTables(
  columnStore: Pick<ColumnStore, 'query' | 'database'>,
  tables: readonly DeletableTable[] = deletableTables,
): Promise<readonly DeletableTable[]> {
  const found = await columnStore.query<{ readonly name: string }>('SELECT name FROM system.tables WHERE database = {database:String}', {
    database: columnStore.database,
  })
  return tables.filter(({ table }) => found.some(({ name }) => name === table))
}

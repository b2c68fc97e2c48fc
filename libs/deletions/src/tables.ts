// Lists the tables with rows of traces or projects, for all code that deletes.
import type { ColumnStore } from '@svc-server/column-store/port'

export interface DeletableTable {
  readonly table: string
  /** Name of the column with the trace's id. Null if rows belong only to a project. */
  readonly trace: string | null
  /** Name of a time column. If a statement filters by this column, the engine can skip parts of the table. */
  readonly time: string | null
  /**
   * Describes the tombstones that hide rows immediately. `columns` lists a tombstone's columns except version and flag. `tick` is the name
   * of an SQL function: `version + tick(n)` is n ticks newer than `version`. `tombstone` is null if deletions insert no tombstones into
   * the table. Either a view creates the tombstones, or the table needs no tombstones, because no reader looks up rows by key.
   */
  readonly tombstone: { readonly columns: readonly string[]; readonly tick: string } | null
  /**
   * Null if all versions of an item have the same key and trace. In the other tables, versions of an item can have different keys or
   * traces. `key` is then the sorting key, and `identity` lists the columns that all versions of an item share. A deletion of the newest
   * version also deletes all older versions.
   */
  readonly versions: { readonly key: readonly string[]; readonly identity: readonly string[] } | null
  /** True if rows expire by their project's retention. As in v3, run items do not expire. */
  readonly expires: boolean
}

const millisecond = 'toIntervalMillisecond'
const observationsKey = ['project_id', 'type', 'toDate(start_time)', 'id']

/**
 * The tables from which deletions remove rows. The list has no tables that contain only offsets or ids (ledger, audit, some scratch
 * tables).
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
  // A view copies the tombstones of events_full to this table, but it does not copy a DELETE.
  { table: 'events_core', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  {
    table: 'observations',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'type', 'start_time', 'id'], tick: millisecond },
    // Spans of two traces can have equal ids, so the id alone does not identify a span.
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
    // The id of a run item is derived from the run and the trace, so all versions of the item have the same key.
    versions: null,
    expires: false,
  },
  // This table contains only counts and SDK names.
  { table: 'sdk_usage', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // v3 lists its ingestion files here. The rows do not name traces.
  { table: 'blob_storage_file_log', trace: null, time: null, tombstone: null, versions: null, expires: false },
  // A backfill copies client data into the next three tables. These tables stay until an operator drops them.
  { table: 'observations_pid_tid_sorting', trace: 'trace_id', time: 'start_time', tombstone: null, versions: null, expires: true },
  { table: 'traces_pid_tid_sorting', trace: 'id', time: 'timestamp', tombstone: null, versions: null, expires: true },
  { table: 'backfill_experiments', trace: 'trace_id', time: 'created_at', tombstone: null, versions: null, expires: false },
]

/** Returns the tables of the list that exist in the database. Tables of v3 and of a backfill can be missing. */
export async function existingTables(
  columnStore: Pick<ColumnStore, 'query' | 'database'>,
  tables: readonly DeletableTable[] = deletableTables,
): Promise<readonly DeletableTable[]> {
  const found = await columnStore.query<{ readonly name: string }>('SELECT name FROM system.tables WHERE database = {database:String}', {
    database: columnStore.database,
  })
  return tables.filter(({ table }) => found.some(({ name }) => name === table))
}

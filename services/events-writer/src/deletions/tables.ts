// Where rows of traces and projects are, and what each table calls them.

export interface DeletableTable {
  readonly table: string
  /** Column that names the trace; null: rows belong to a project alone. */
  readonly trace: string | null
  /** Column by which its parts are told apart in time; null: none. */
  readonly time: string | null
  /**
   * How its rows are hidden at once: columns that a tombstone has besides version and flag, and the smallest step of the version. Null: a view does it,
   * or nobody reads its rows by key.
   */
  readonly tombstone: { readonly columns: readonly string[]; readonly tick: string } | null
}

const millisecond = 'toIntervalMillisecond(1)'

export const deletableTables: readonly DeletableTable[] = [
  {
    table: 'events_full',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'span_id', 'start_time'], tick: 'toIntervalMicrosecond(1)' },
  },
  // The view forwards tombstones, and no DELETE.
  { table: 'events_core', trace: 'trace_id', time: 'start_time', tombstone: null },
  {
    table: 'observations',
    trace: 'trace_id',
    time: 'start_time',
    tombstone: { columns: ['project_id', 'trace_id', 'type', 'start_time', 'id'], tick: millisecond },
  },
  { table: 'traces', trace: 'id', time: 'timestamp', tombstone: { columns: ['project_id', 'timestamp', 'id'], tick: millisecond } },
  {
    table: 'scores',
    trace: 'trace_id',
    time: 'timestamp',
    tombstone: { columns: ['project_id', 'timestamp', 'name', 'id', 'trace_id'], tick: millisecond },
  },
  {
    table: 'dataset_run_items_rmt',
    trace: 'trace_id',
    time: null,
    tombstone: { columns: ['project_id', 'dataset_id', 'dataset_run_id', 'id', 'trace_id'], tick: millisecond },
  },
  { table: 'sdk_usage', trace: null, time: null, tombstone: null },
]

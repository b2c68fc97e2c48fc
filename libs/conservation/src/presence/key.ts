// The key of a table that keeps the newest version of each key: how a question about many keys names them.

/**
 * How values of a column pass to the column store. `repeated`: texts of which many rows share few. `time`: a DateTime64(6), as microseconds since the
 * epoch. `day`: a Date, as days since the epoch.
 */
export type KeyKind = 'text' | 'repeated' | 'time' | 'day'

export interface KeyColumn {
  /** Of the table, as in its ORDER BY: a column, or an expression such as `toDate(timestamp)`. */
  readonly sql: string
  readonly kind: KeyKind
  /** The table is sorted by this function of it; rows are told apart by the value itself. */
  readonly sortedBy?: string
}

/** A table's key, and how it is read off whatever stands for a row. */
export interface TableKey<Row> {
  readonly columns: readonly (KeyColumn & { readonly of: (row: Row) => string | number })[]
  /** The version column; a DateTime64. */
  readonly version: string
  /** As the table stores it, in microseconds since the epoch. */
  readonly versionOf: (row: Row) => number
}

/** A version of a row of the events tables: its key, and when its span came. */
export interface RowVersion {
  readonly projectId: string
  /** As in the tables. */
  readonly traceId: string
  readonly spanId: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** event_ts of the row, microseconds since the epoch. */
  readonly eventTsUs: number
}

export type EventsTable = 'events_full' | 'events_core'

const project = { sql: 'project_id', kind: 'repeated' } as const
const start = { sql: 'start_time', kind: 'time' } as const
const trace = { sql: 'trace_id', kind: 'repeated', sortedBy: 'xxHash32' } as const
const span = { sql: 'span_id', kind: 'text' } as const

/** Of both events tables. The hash of a trace is part of it; the trace itself is compared as well, since two may have the same hash. */
export const eventsKeyColumns: readonly KeyColumn[] = [project, start, trace, span]

export const eventsKey: TableKey<RowVersion> = {
  columns: [
    { ...project, of: row => row.projectId },
    { ...start, of: row => row.startTimeUs },
    { ...trace, of: row => row.traceId },
    { ...span, of: row => row.spanId },
  ],
  version: 'event_ts',
  versionOf: row => row.eventTsUs,
}

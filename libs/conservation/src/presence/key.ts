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
  /** Where the table says it, and equal versions of a key are to be told apart by their order on the log. */
  readonly places?: Places<Row>
}

/** Where rows came from, when all that are asked about are of one partition of the log. */
export interface Places<Row> {
  /** The column that says `topic/partition/offset#index`. */
  readonly sql: string
  /** Of that partition: `topic/partition/`. */
  readonly prefix: string
  readonly of: (row: Row) => { readonly offset: number; readonly index: number }
}

/** Columns whose values stand once for all rows that share them; the others stand in each row's entry. */
export const headsOf = <Column extends KeyColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ kind }) => kind === 'repeated')
export const entriesOf = <Column extends KeyColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ kind }) => kind !== 'repeated')

const lastDay = 65_535
const isTime = (value: string | number) => Number.isSafeInteger(value) && (value as number) >= 0

/** False: it has a time that no row can have, and that no question can name. Times come from clients. */
export const mayBeStored = <Row>({ columns, versionOf }: TableKey<Row>, row: Row): boolean =>
  isTime(versionOf(row)) &&
  columns.every(({ kind, of }) => {
    if (kind !== 'time' && kind !== 'day') return true
    const value = of(row)
    return isTime(value) && (kind === 'time' || (value as number) <= lastDay)
  })

/** A version of a row: its key, and when its span, its score or its merged entity came. */
export interface RowVersion {
  readonly projectId: string
  /** As in the tables. Of a run item: its run. */
  readonly traceId: string
  /** Of a score, a run item and a merged entity: its own id. */
  readonly spanId: string
  /** Of a merged observation, by which its old table is sorted; absent on spans. */
  readonly type?: string
  /** Of a score, by which its table is sorted; of a run item, its dataset; absent on spans. */
  readonly name?: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** event_ts of the row, microseconds since the epoch. */
  readonly eventTsUs: number
}

const project = { sql: 'project_id', kind: 'repeated' } as const
const dayUs = 86_400_000_000
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

/**
 * Of `observations`, without the type of its sorting key: who reads the log without the rules that make rows
 * does not know it. Times there are milliseconds.
 */
export const observationsKey: TableKey<RowVersion> = {
  columns: [
    { ...project, of: row => row.projectId },
    { sql: 'toDate(start_time)', kind: 'day', of: row => Math.floor(row.startTimeUs / dayUs) },
    { sql: 'id', kind: 'text', of: row => row.spanId },
  ],
  version: 'event_ts',
  versionOf: row => Math.floor(row.eventTsUs / 1000) * 1000,
}

/**
 * Of `observations`, with the type: a merged entity says it, and where it had another one before, a tombstone
 * must stand.
 */
export const mergedObservationsKey: TableKey<RowVersion> = {
  ...observationsKey,
  columns: observationsKey.columns.toSpliced(1, 0, { sql: 'type', kind: 'repeated', of: row => row.type ?? '' }),
}

/** Of `traces`; its times are milliseconds. */
export const tracesKey: TableKey<RowVersion> = {
  ...observationsKey,
  columns: [
    { ...project, of: row => row.projectId },
    { sql: 'toDate(timestamp)', kind: 'day', of: row => Math.floor(row.startTimeUs / dayUs) },
    { sql: 'id', kind: 'text', of: row => row.spanId },
  ],
}

/** Of `scores`; its times are milliseconds. */
export const scoresKey: TableKey<RowVersion> = {
  columns: [
    { ...project, of: row => row.projectId },
    { sql: 'toDate(timestamp)', kind: 'day', of: row => Math.floor(row.startTimeUs / dayUs) },
    { sql: 'name', kind: 'repeated', of: row => row.name ?? '' },
    { sql: 'id', kind: 'text', of: row => row.spanId },
  ],
  version: 'event_ts',
  versionOf: row => Math.floor(row.eventTsUs / 1000) * 1000,
}

/** Of `dataset_run_items_rmt`; its times are milliseconds. */
export const runItemsKey: TableKey<RowVersion> = {
  columns: [
    { ...project, of: row => row.projectId },
    { sql: 'dataset_id', kind: 'repeated', of: row => row.name ?? '' },
    { sql: 'dataset_run_id', kind: 'repeated', of: row => row.traceId },
    { sql: 'id', kind: 'text', of: row => row.spanId },
  ],
  version: 'event_ts',
  versionOf: row => Math.floor(row.eventTsUs / 1000) * 1000,
}

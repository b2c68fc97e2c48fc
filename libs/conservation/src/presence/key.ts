// Describes the key of a table that keeps the newest version of each key, for queries that look up many keys.

/**
 * How the values of a column are sent to the column store. `repeated` is for texts that many rows share. `time` is a DateTime64(6), sent as
 * microseconds since the epoch. `day` is a Date, sent as days since the epoch.
 */
export type KeyKind = 'text' | 'repeated' | 'time' | 'day'

export interface KeyColumn {
  /** The column's SQL in the table's ORDER BY, which can be an expression such as `toDate(timestamp)`. */
  readonly sql: string
  readonly kind: KeyKind
  /**
   * A function of the column, if the table is sorted by the function's result. Rows with different column values are different rows, even
   * if the function's results are equal.
   */
  readonly sortedBy?: string
}

/** A table's key, and functions that read it from a row. */
export interface TableKey<Row> {
  readonly columns: readonly (KeyColumn & { readonly of: (row: Row) => string | number })[]
  /** The version column, a DateTime64. */
  readonly version: string
  /** The version as the table stores it, in microseconds since the epoch. */
  readonly versionOf: (row: Row) => number
  /** Present if the table stores provenance and the log position must decide which of two rows with equal key and version is newer. */
  readonly places?: Places<Row>
}

/** The provenance of the rows that are looked up. All rows of a batch come from one partition of the log. */
export interface Places<Row> {
  /** The column that holds `topic/partition/offset#index`. */
  readonly sql: string
  /** The partition's prefix: `topic/partition/`. */
  readonly prefix: string
  readonly of: (row: Row) => { readonly offset: number; readonly index: number }
}

/**
 * Returns the columns whose values are written once for all rows that share them. Each row's own entry contains the values of its other
 * columns.
 */
export const headsOf = <Column extends KeyColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ kind }) => kind === 'repeated')
export const entriesOf = <Column extends KeyColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ kind }) => kind !== 'repeated')

const lastDay = 65_535
const isTime = (value: string | number) => Number.isSafeInteger(value) && (value as number) >= 0

/** Returns false if a time is outside of the range of its column. Clients choose times, so a time can be outside of its column's range. */
export const mayBeStored = <Row>({ columns, versionOf }: TableKey<Row>, row: Row): boolean =>
  isTime(versionOf(row)) &&
  columns.every(({ kind, of }) => {
    if (kind !== 'time' && kind !== 'day') return true
    const value = of(row)
    return isTime(value) && (kind === 'time' || (value as number) <= lastDay)
  })

/** A version of a row: its key, and the time at which the span, score or merged entity arrived. */
export interface RowVersion {
  readonly projectId: string
  /** The trace id as the tables store it. For a run item, the id of its run. */
  readonly traceId: string
  /** Span id. For a score, a run item or a merged entity, the item's own id. */
  readonly spanId: string
  /** Type of a merged observation, which is part of the old table's sorting key. Absent for spans. */
  readonly type?: string
  /** Name of a score, which is part of its table's sorting key. For a run item, the id of its dataset. Absent for spans. */
  readonly name?: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** event_ts of the row, in microseconds since the epoch. */
  readonly eventTsUs: number
}

const project = { sql: 'project_id', kind: 'repeated' } as const
const dayUs = 86_400_000_000
const start = { sql: 'start_time', kind: 'time' } as const
const trace = { sql: 'trace_id', kind: 'repeated', sortedBy: 'xxHash32' } as const
const span = { sql: 'span_id', kind: 'text' } as const

/**
 * The key of both events tables. The sorting key contains only the hash of a trace id. Traces can have the same hash, so the query also
 * compares the id.
 */
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
 * The key of `observations` without the type: mapping rules determine the type, and a reader of the log does not have these rules. Times of
 * this table are in milliseconds.
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
 * The key of `observations` with the type. The key for merged entities, which contain their type and must have a tombstone for each earlier
 * type.
 */
export const mergedObservationsKey: TableKey<RowVersion> = {
  ...observationsKey,
  columns: observationsKey.columns.toSpliced(1, 0, { sql: 'type', kind: 'repeated', of: row => row.type ?? '' }),
}

/** Key of `traces`, with times in milliseconds. */
export const tracesKey: TableKey<RowVersion> = {
  ...observationsKey,
  columns: [
    { ...project, of: row => row.projectId },
    { sql: 'toDate(timestamp)', kind: 'day', of: row => Math.floor(row.startTimeUs / dayUs) },
    { sql: 'id', kind: 'text', of: row => row.spanId },
  ],
}

/** Key of `scores`, with times in milliseconds. */
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

/** Key of `dataset_run_items_rmt`, with times in milliseconds. */
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

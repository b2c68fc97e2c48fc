// Describes the sorting key of a table. The table keeps only the newest of the rows with equal keys.

/**
 * How the values of a key column are sent to the column store. `repeated` is for texts that many rows share. `time` sends a DateTime64(6)
 * as microseconds since the epoch. `day` sends a Date as days since the epoch.
 */
export type KeyKind = 'text' | 'repeated' | 'time' | 'day'

export interface KeyColumn {
  /** The expression in the table's ORDER BY, for example `toDate(timestamp)`. */
  readonly sql: string
  readonly kind: KeyKind
  /**
   * Name of a function. If set, the table's sorting key contains the function's result instead of the column. Different values of the
   * column can have the same result, so the query also compares the column.
   */
  readonly sortedBy?: string
}

export interface TableKey<Row> {
  readonly columns: readonly (KeyColumn & { readonly of: (row: Row) => string | number })[]
  /** A DateTime64 column. */
  readonly version: string
  /** Returns the version of a row as the table stores it, in microseconds since the epoch. */
  readonly versionOf: (row: Row) => number
  /**
   * Present if the table stores the position of each row on the log. Of several rows with the same key and version, the row with the last
   * position is then the newest row.
   */
  readonly places?: Places<Row>
}

/** All rows of a batch come from one partition of the log. */
export interface Places<Row> {
  /** Holds `topic/partition/offset#index`. */
  readonly sql: string
  /** `topic/partition/`. */
  readonly prefix: string
  readonly of: (row: Row) => { readonly offset: number; readonly index: number }
}

/**
 * Returns the columns of the kind `repeated`. Rows with equal values in all of these columns form a group. These values are written only
 * once per group. The values of the other columns are written for each row (`entriesOf`).
 */
export const headsOf = <Column extends KeyColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ kind }) => kind === 'repeated')
export const entriesOf = <Column extends KeyColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ kind }) => kind !== 'repeated')

const lastDay = 65_535
const isTime = (value: string | number) => Number.isSafeInteger(value) && (value as number) >= 0

/** False if a time of the row is outside of its column's range. Clients choose these times. */
export const mayBeStored = <Row>({ columns, versionOf }: TableKey<Row>, row: Row): boolean =>
  isTime(versionOf(row)) &&
  columns.every(({ kind, of }) => {
    if (kind !== 'time' && kind !== 'day') return true
    const value = of(row)
    return isTime(value) && (kind === 'time' || (value as number) <= lastDay)
  })

export interface RowVersion {
  readonly projectId: string
  /** The trace id that the tables store. For a run item, this field contains the id of the run. */
  readonly traceId: string
  /** The id of the span, score, run item or merged entity. */
  readonly spanId: string
  /** Type of a merged observation. The old table's sorting key contains the type. */
  readonly type?: string
  /** The name of a score, or the dataset id of a run item. The sorting keys of the tables of scores and of run items contain this value. */
  readonly name?: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** event_ts in microseconds since the epoch. */
  readonly eventTsUs: number
}

const project = { sql: 'project_id', kind: 'repeated' } as const
const dayUs = 86_400_000_000
const start = { sql: 'start_time', kind: 'time' } as const
const trace = { sql: 'trace_id', kind: 'repeated', sortedBy: 'xxHash32' } as const
const span = { sql: 'span_id', kind: 'text' } as const

/** The key columns of both events tables. The sorting key has only the hash of a trace id, so the query also compares the id. */
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
 * This key does not contain the type, because a reader of the log does not have the mapping rules that determine the type. Times are in
 * milliseconds.
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
 * Unlike `observationsKey`, this key contains the type, because a record of a merged entity contains the type of the entity. If the type
 * changes, the table must have a tombstone with the earlier type.
 */
export const mergedObservationsKey: TableKey<RowVersion> = {
  ...observationsKey,
  columns: observationsKey.columns.toSpliced(1, 0, { sql: 'type', kind: 'repeated', of: row => row.type ?? '' }),
}

/** Times are in milliseconds. */
export const tracesKey: TableKey<RowVersion> = {
  ...observationsKey,
  columns: [
    { ...project, of: row => row.projectId },
    { sql: 'toDate(timestamp)', kind: 'day', of: row => Math.floor(row.startTimeUs / dayUs) },
    { sql: 'id', kind: 'text', of: row => row.spanId },
  ],
}

/** Times are in milliseconds. */
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

/** Times are in milliseconds. */
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

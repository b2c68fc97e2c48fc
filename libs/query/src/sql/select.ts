// Queries as values. A query can read a table only within a scope.
import type { ColumnStore, OutputFormat } from '@svc-server/column-store/port'
import { type Field, type Fields, field, type RowOf } from './field.ts'
import type { Bounds, Scope } from './scope.ts'
import { all, constant, join, type Sql, sql, value, written } from './sql.ts'

/** A table, and the columns that limit a query of the table to a scope: the project and the time. */
export interface Table<Name extends string, F extends Fields> {
  readonly name: Name
  /** Name of the table in the query. Absent if the query uses the table's own name. */
  readonly alias?: string
  readonly columns: F
  readonly project: Field<string>
  readonly time: Field<bigint>
  /** The precision of the times in the table. */
  readonly scale: 'Milli' | 'Micro'
}

/** The FROM expression and the conditions of a query. Together, they select only rows of a scope. */
export interface Source {
  readonly from: Sql
  readonly conditions: readonly Sql[]
}

/** Reads every stored version of the rows. */
export function versionsIn(table: Table<string, Fields>, scope: Scope): Source {
  return { from: constant(namedAs(table)), conditions: scopeConditions(table, scope) }
}

/** Reads the newest version of each key, as a merge would keep it. Tombstones are omitted. */
export function newestIn(table: Table<string, Fields>, scope: Scope): Source {
  return { from: constant(`${namedAs(table)} FINAL`), conditions: scopeConditions(table, scope) }
}

const namedAs = ({ name, alias }: Table<string, Fields>) => (alias === undefined ? name : `${name} AS ${alias}`)

function scopeConditions({ project, time, scale }: Table<string, Fields>, scope: Scope): readonly Sql[] {
  const conditions = [sql`${project.sql} = ${value('String', scope.project, 'projectId')}`]
  if ('everyTime' in scope.time) return conditions
  const { from, to } = scope.time
  if (from !== undefined) conditions.push(sql`${time.sql} >= ${timeValue(from, scale, 'fromTime')}`)
  if (to !== undefined) conditions.push(sql`${time.sql} < ${timeValue(to, scale, 'toTime')}`)
  return conditions
}

/**
 * For a column of milliseconds, a bound in microseconds is rounded up. The rounded bounds select the same rows, because `>=` includes the
 * lower bound and `<` excludes the upper bound.
 */
export function timeValue(us: bigint, scale: 'Milli' | 'Micro', name?: string): Sql {
  if (scale === 'Micro') return sql`fromUnixTimestamp64Micro(${value('Int64', us, name)}, 'UTC')`
  const up = us > 0n && us % 1000n !== 0n ? 1n : 0n
  return sql`fromUnixTimestamp64Milli(${value('Int64', us / 1000n + up, name)})`
}

export interface Clauses {
  /**
   * Conditions that use only columns of the key. The column store evaluates them first, and reads the other columns only for matching rows.
   * If the query uses FINAL, the column store evaluates the conditions in `where` only after it has read all columns.
   */
  readonly prewhere?: readonly Sql[]
  readonly where?: readonly Sql[]
  readonly groupBy?: readonly Sql[]
  readonly having?: Sql
  readonly orderBy?: Sql
  /** Keeps the first `ofEach` rows (by default, one) for each value of `firstOf`. The limit is applied afterwards. */
  readonly firstOf?: Sql
  readonly ofEach?: number
  readonly limit?: number
  /** Number of rows that the query skips before the limit is applied. */
  readonly offset?: number
}

/** A query with typed rows. */
export interface Select<F extends Fields> {
  readonly sql: Sql
  readonly fields: F
}

export function select<F extends Fields>({ from, conditions }: Source, fields: F, clauses: Clauses = {}): Select<F> {
  const { prewhere = [], where = [], groupBy = [], having, orderBy, firstOf, ofEach = 1, limit, offset } = clauses
  const selected = Object.entries(fields).map(([name, each]) => sql`${each.selected} AS ${constant(name)}`)
  const conditioned = [...conditions, ...where]
  const parts = [
    sql`SELECT ${join(selected, ', ')} FROM ${from}`,
    ...(prewhere.length === 0 ? [] : [sql`PREWHERE ${all(prewhere)}`]),
    ...(conditioned.length === 0 ? [] : [sql`WHERE ${all(conditioned)}`]),
    ...(groupBy.length === 0 ? [] : [sql`GROUP BY ${join(groupBy, ', ')}`]),
    ...(having === undefined ? [] : [sql`HAVING ${having}`]),
    ...(orderBy === undefined ? [] : [sql`ORDER BY ${orderBy}`]),
    ...(firstOf === undefined ? [] : [sql`LIMIT ${value('UInt32', ofEach, 'ofEach')} BY ${firstOf}`]),
    ...(limit === undefined ? [] : [sql`LIMIT ${value('UInt32', limit, 'limit')}`]),
    ...(offset === undefined ? [] : [sql`OFFSET ${value('UInt32', offset, 'offset')}`]),
  ]
  return { sql: join(parts, ' '), fields }
}

/** Combines queries that have the same fields (UNION ALL). */
export function rowsOf<F extends Fields>(...queries: readonly [Select<F>, ...Select<F>[]]): Source {
  return {
    from: sql`(${join(
      queries.map(each => each.sql),
      ' UNION ALL ',
    )})`,
    conditions: [],
  }
}

/** Returns the fields with which an outer query selects the columns of this query. */
export function outputs<F extends Fields>({ fields }: Select<F>): F
export function outputs({ fields }: Select<Fields>): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, { decode }]) => [name, field(constant(name), decode)]))
}

/** The limits are in the statement, not in a settings profile. A profile would need more grants than the contract asks for (§8.3). */
function settingsOf({ limits, deadline, isSortedLate = false }: Bounds): string {
  const settings = {
    max_result_rows: limits.rows,
    max_memory_usage: limits.memoryBytes,
    max_bytes_to_read: limits.readBytes,
    max_execution_time: deadline.secondsLeft(),
    ...(isSortedLate && { optimize_read_in_order: 0 }),
  }
  return Object.entries(settings)
    .map(([name, limit]) => `${name} = ${limit}`)
    .join(', ')
}

function decoded<F extends Fields>(fields: F, json: Readonly<Record<string, unknown>>): RowOf<F>
function decoded(fields: Fields, json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { decode }]) => [name, decode(json[name])]))
}

/** The values of all rows, by field. */
export type ColumnsOf<F extends Fields> = { readonly [Name in keyof F]: readonly RowOf<F>[Name][] }

/** Decodes JSONCompactColumns, whose columns have the order of the fields. */
export function decodedColumns<F extends Fields>(fields: F, json: unknown): ColumnsOf<F>
export function decodedColumns(fields: Fields, json: unknown): Readonly<Record<string, readonly unknown[]>> {
  const columns: readonly unknown[] = Array.isArray(json) ? json : []
  return Object.fromEntries(
    Object.entries(fields).map(([name, { decode }], at) => {
      const column = columns[at]
      return [name, Array.isArray(column) ? column.map(decode) : []]
    }),
  )
}

export type Reads = Pick<ColumnStore, 'query'>
export type Writes = Pick<ColumnStore, 'query' | 'queryBytes'>

const writtenSettings = {
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  format_csv_null_representation: '',
  // Joining Parquet files moves their contents, so offsets in their indexes would be wrong.
  output_format_parquet_write_page_index: 0,
  output_format_parquet_write_bloom_filter: 0,
} as const

interface BytesOptions {
  readonly format: OutputFormat
  readonly bounds: Bounds
  readonly maxBytes: number | undefined
  /** Additional settings of this query. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** Returns the rows as the column store writes them. Throws a `column_store_*` error, or the abort signal's reason. */
export function readBytes(
  columnStore: Writes,
  query: Sql,
  { format, bounds, maxBytes, settings: own = {} }: BytesOptions,
): Promise<Uint8Array> {
  const { text, params } = written(query)
  const settings = maxBytes === undefined ? settingsOf(bounds) : `${settingsOf(bounds)}, max_result_bytes = ${maxBytes}`
  return columnStore.queryBytes(`${text} SETTINGS ${settings}`, format, params, {
    settings: { ...writtenSettings, ...own, log_comment: bounds.comment },
    ...(bounds.signal && { signal: bounds.signal }),
  })
}

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function read<F extends Fields>(columnStore: Reads, query: Select<F>, bounds: Bounds): Promise<readonly RowOf<F>[]> {
  const rows = await jsonRows(columnStore, query, bounds)
  return rows.map(row => decoded(query.fields, row))
}

/** Like `read`, but returns the key's fields and the other fields separately. A field name must not occur in both groups. */
export async function readKeyed<K extends Fields, F extends Fields>(
  columnStore: Reads,
  [source, keys, fields, clauses]: readonly [source: Source, keys: K, fields: F, clauses: Clauses],
  bounds: Bounds,
): Promise<readonly { readonly key: RowOf<K>; readonly row: RowOf<F> }[]> {
  const rows = await jsonRows(columnStore, select(source, { ...keys, ...fields }, clauses), bounds)
  return rows.map(row => ({ key: decoded(keys, row), row: decoded(fields, row) }))
}

function jsonRows(columnStore: Reads, { sql: query }: Select<Fields>, bounds: Bounds) {
  const { text, params } = written(query)
  return columnStore.query<Readonly<Record<string, unknown>>>(`${text} SETTINGS ${settingsOf(bounds)}`, params, {
    settings: { log_comment: bounds.comment },
    ...(bounds.signal && { signal: bounds.signal }),
  })
}

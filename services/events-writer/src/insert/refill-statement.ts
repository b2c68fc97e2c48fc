import { literal } from '@svc-server/column-store/literal'
import type { KeyColumn } from '@svc-server/conservation/presence/key'
import { insertSettings } from '@svc-server/schema/events/insert-settings'
import type { Destination } from '../destinations/destination.ts'
import type { RowPlace } from '../destinations/row-encoder.ts'

const settings = Object.entries({
  ...insertSettings,
  // An insert that is repeated with the same token must have the same blocks as the first attempt. These settings fix the blocks.
  max_threads: 1,
  max_block_size: 1_000_000,
  min_insert_block_size_rows: 1_000_000,
  min_insert_block_size_bytes: 0,
})
  .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : literal(value)}`)
  .join(', ')

/**
 * For each missing row, copies the row and all newer rows with the same key. The copied rows keep their order of insertion. If several rows
 * with the same key have the same version, the row that wins in the source table therefore also wins in the dependent table. The settings
 * are at the end of the statement, so that the caller can append more settings.
 */
export function refillStatement({ table, key, version, dependent }: Destination, rows: readonly RowPlace[]): string {
  const { table: into, columns, select } = dependent!
  const values = (of: (row: RowPlace) => string) => `[${rows.map(of).join(',')}]`
  const wanted = key.map((column, at) => values(({ key }) => literalOf(column, key[at]!)))
  const names = key.map((_, at) => `of_key${at}`)
  const sorted = (column: KeyColumn, of: string) => (column.sortedBy === undefined ? of : `${column.sortedBy}(${of})`)
  const made = key.map((column, at) => `${sqlOf(column, `key.${at + 1}`)} AS ${names[at]}`)
  return `INSERT INTO ${into} (${columns.join(', ')})
     WITH wanted AS (
       SELECT ${made.join(', ')}, fromUnixTimestamp64Micro(key.${key.length + 1}) AS of_version
       FROM (SELECT arrayJoin(arrayZip(${[...wanted, values(({ versionUs }) => `toInt64(${versionUs})`)].join(', ')})) AS key))
     SELECT ${select}
     FROM (
       SELECT *, _block_number AS of_block, _block_offset AS of_row FROM ${table}
       WHERE (${key.map(column => sorted(column, column.sql)).join(', ')}) IN (
         SELECT ${key.map((column, at) => sorted(column, names[at]!)).join(', ')} FROM wanted)
         ${key.flatMap((column, at) => bounds(column, rows, at)).join(' ')}
     ) AS stored INNER JOIN (
       SELECT ${names.join(', ')}, min(of_version) AS of_version FROM wanted GROUP BY ${names.join(', ')}
     ) AS least ON ${key.map(({ sql }, at) => `${sql} = ${names[at]}`).join(' AND ')}
     WHERE ${version} >= of_version
     ORDER BY of_block, of_row
     SETTINGS ${settings}`
}

const isTime = ({ kind }: KeyColumn) => kind === 'time' || kind === 'day'

function literalOf(column: KeyColumn, value: string | number): string {
  if (!isTime(column)) return literal(value)
  return column.kind === 'time' ? `toInt64(${value})` : `toUInt16(${value})`
}

function sqlOf({ kind }: KeyColumn, of: string): string {
  if (kind === 'time') return `fromUnixTimestamp64Micro(${of})`
  return kind === 'day' ? `toDate(${of})` : of
}

/** Returns a condition on the time range of the rows, so that the engine skips parts outside of this range. */
function bounds(column: KeyColumn, rows: readonly RowPlace[], at: number): readonly string[] {
  if (!isTime(column)) return []
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { key } of rows) {
    first = Math.min(first, Number(key[at]))
    last = Math.max(last, Number(key[at]))
  }
  const edge = (value: number) => sqlOf(column, literalOf(column, value))
  return [`AND ${column.sql} >= ${edge(first)} AND ${column.sql} <= ${edge(last)}`]
}

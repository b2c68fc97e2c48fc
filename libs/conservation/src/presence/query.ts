// The question which of many keys have no row, in SQL. Reads by the full sorting key; only what is absent is
// answered: mostly nothing.
import type { KeyColumn, TableKey } from './key.ts'

/** A value of a key column, made of what its parameters say. `at` is its number in the key. */
const sqlOf = ({ kind }: KeyColumn, at: number): string => {
  // The first of the tuple is the row's own number.
  const given = `key.${at + 2}`
  if (kind === 'repeated') return `{texts${at}:Array(String)}[${given}]`
  if (kind === 'time') return `fromUnixTimestamp64Micro({first${at}:Int64} + toInt64(${given}))`
  return kind === 'day' ? `toDate(${given})` : given
}

const typeOf: Readonly<Record<KeyColumn['kind'], string>> = { text: 'String', repeated: 'UInt32', time: 'UInt64', day: 'UInt16' }

const sorting = ({ sortedBy }: KeyColumn, of: string) => (sortedBy === undefined ? of : `${sortedBy}(${of})`)

/** Parts outside of the rows' time need not be read at all. */
function bounds({ sql, kind }: KeyColumn, at: number): readonly string[] {
  if (kind === 'time') {
    const edge = (name: string) => `fromUnixTimestamp64Micro({${name}${at}:Int64})`
    return [`${sql} >= ${edge('first')} AND ${sql} <= ${edge('last')}`]
  }
  return kind === 'day' ? [`${sql} >= toDate({first${at}:UInt16}) AND ${sql} <= toDate({last${at}:UInt16})`] : []
}

/** `settings` begin with a comma, or are empty. */
export function presenceQuery<Row>(table: string, { columns, version }: TableKey<Row>, settings: string): string {
  const names = columns.map((_, at) => `key${at}`).join(', ')
  const given = columns.map(({ kind }, at) => `{values${at}:Array(${typeOf[kind]})}`)
  const wanted = columns.map((column, at) => `${sqlOf(column, at)} AS key${at}`)
  const stored = columns.map(({ sql }, at) => `${sql} AS key${at}`)
  return `
  WITH wanted AS (
    SELECT key.1 AS number, ${wanted.join(', ')}, {firstVersion:Int64} + toInt64(key.${columns.length + 2}) AS version_us
    FROM (SELECT arrayJoin(arrayZip(range(length({versions:Array(UInt64)})), ${given.join(', ')}, {versions:Array(UInt64)})) AS key))
  SELECT groupArray(number) AS numbers
  FROM wanted LEFT JOIN (
    SELECT ${stored.join(', ')}, 1 AS found, toUnixTimestamp64Micro(max(${version})) AS newest_us
    FROM ${table}
    WHERE (${columns.map(column => sorting(column, column.sql)).join(', ')}) IN (
      SELECT ${columns.map((column, at) => sorting(column, `key${at}`)).join(', ')} FROM wanted)
      ${columns
        .flatMap(bounds)
        .map(bound => `AND ${bound}`)
        .join(' ')}
    GROUP BY ${columns.map(({ sql }) => sql).join(', ')}
  ) AS stored USING (${names})
  WHERE found = 0 OR newest_us < version_us
  SETTINGS join_use_nulls = 0${settings}`
}

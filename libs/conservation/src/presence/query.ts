// Builds the SQL that returns the keys for which a table has no row. Before this query, a cheaper query only counts the keys that have a
// row.
import { entriesOf, headsOf, type KeyColumn, type TableKey } from './key.ts'

/**
 * Returns SQL that decodes a value of a key. `text` is an SQL expression that returns the encoded value as a text. `at` is the index of the
 * value's column in the key.
 */
function valueSql(kind: KeyColumn['kind'], text: string, at: number): string {
  if (kind === 'time') return `fromUnixTimestamp64Micro({first${at}:Int64} + toInt64(${text}))`
  return kind === 'day' ? `toDate(toUInt16(${text}))` : `decodeURLComponent(${text})`
}

/**
 * Returns SQL that converts the parameter `keys` to rows, one row for each entry. The parameter is one text with all keys, in groups that
 * are separated by `:`. A group is `value/…/entry;entry;…`: the values that the group's rows share (`headsOf`), then an entry for each row.
 * An entry is `number,version,value,…`. If provenance is compared, the entry ends with offset and index.
 * Without `materialize`, the column store would already split this text when it analyzes the query, and write the result into the query.
 */
function wantedOf(columns: readonly KeyColumn[], hasPlaces = false): string {
  const [heads, entries] = [headsOf(columns), entriesOf(columns)]
  const name = (column: KeyColumn) => `key${columns.indexOf(column)}`
  const ofHead = heads.map((column, place) => `decodeURLComponent(line[${place + 1}]) AS ${name(column)}, `).join('')
  // The first two values of an entry are the row's index and version.
  const ofEntry = entries
    .map((column, place) => `${valueSql(column.kind, `entry[${place + 3}]`, columns.indexOf(column))} AS ${name(column)}, `)
    .join('')
  const named = heads.map(column => `${name(column)}, `).join('')
  const [offset, index] = [1, 2].map(behind => `toUInt64(entry[${entries.length + 2 + behind}])`)
  const ofPlace = hasPlaces ? `({firstOffset:UInt64} + ${offset}, ${index}) AS place, ` : ''
  return `
    SELECT toUInt64(entry[1]) AS number, ${named}${ofEntry}${ofPlace}{firstVersion:Int64} + toInt64(entry[2]) AS version_us
    FROM (SELECT ${named}splitByChar(',', arrayJoin(splitByChar(';', entries))) AS entry
      FROM (SELECT ${ofHead}line[${heads.length + 1}] AS entries
        FROM (SELECT splitByChar('/', arrayJoin(splitByChar(':', materialize({keys:String})))) AS line)))`
}

const sorting = ({ sortedBy }: KeyColumn, of: string) => (sortedBy === undefined ? of : `${sortedBy}(${of})`)

/** Limits the query to the time range of the wanted rows, so that the engine can skip other parts of the table. */
function bounds({ sql, kind }: KeyColumn, at: number): readonly string[] {
  if (kind === 'time') {
    const edge = (name: string) => `fromUnixTimestamp64Micro({${name}${at}:Int64})`
    return [`${sql} >= ${edge('first')} AND ${sql} <= ${edge('last')}`]
  }
  return kind === 'day' ? [`${sql} >= toDate({first${at}:UInt16}) AND ${sql} <= toDate({last${at}:UInt16})`] : []
}

/**
 * Returns an SQL condition that selects the stored rows whose keys are in `wanted`. Each entry of `and` has two SQL expressions that must
 * also be equal: the first is evaluated for the stored row, and the second for the row of `wanted`.
 */
function among({ columns }: Pick<TableKey<never>, 'columns'>, and: readonly (readonly [stored: string, wanted: string])[] = []): string {
  const stored = [...columns.map(column => sorting(column, column.sql)), ...and.map(([sql]) => sql)]
  const wanted = [...columns.map((column, at) => sorting(column, `key${at}`)), ...and.map(([, sql]) => sql)]
  return [`(${stored.join(', ')}) IN (SELECT ${wanted.join(', ')} FROM wanted)`, ...columns.flatMap(bounds)].join(' AND ')
}

/**
 * Among equal versions, the later position on the log wins. Positions of different partitions cannot be compared. If the stored row has the
 * expected row's version but comes from another partition, the expected row therefore counts as present.
 */
function newestOf({ version, places }: Pick<TableKey<never>, 'version' | 'places'>) {
  const versionUs = `toUnixTimestamp64Micro(${version})`
  if (places === undefined) return { newest: `max(${versionUs})`, isOlder: 'newest < version_us' }
  const path = `substring(${places.sql}, length({prefix:String}) + 1)`
  const place = [`substringIndex(${path}, '#', 1)`, `substringIndex(${path}, '#', -1)`].map(text => `toUInt64OrZero(${text})`)
  return {
    newest: `max((${versionUs}, NOT startsWith(${places.sql}, {prefix:String}), (${place.join(', ')})))`,
    isOlder: 'newest.1 < version_us OR (newest.1 = version_us AND newest.2 = 0 AND newest.3 < place)',
  }
}

/**
 * Returns the query that finds the missing wanted rows. A wanted row is missing if the table has no row with its key, or only a row that is
 * older than the wanted row. The query's SETTINGS clause ends with `settings`, which is empty or begins with a comma.
 */
export function presenceQuery<Row>(table: string, key: TableKey<Row>, settings: string): string {
  const { columns, places } = key
  const { newest, isOlder } = newestOf(key)
  const names = columns.map((_, at) => `key${at}`).join(', ')
  const stored = columns.map(({ sql }, at) => `${sql} AS key${at}`)
  return `
  WITH wanted AS (${wantedOf(columns, places !== undefined)})
  SELECT groupArray(number) AS numbers
  FROM wanted LEFT JOIN (
    SELECT ${stored.join(', ')}, 1 AS found, ${newest} AS newest
    FROM ${table}
    WHERE ${among({ columns })}
    GROUP BY ${columns.map(({ sql }) => sql).join(', ')}
  ) AS stored USING (${names})
  WHERE found = 0 OR ${isOlder}
  SETTINGS join_use_nulls = 0${settings}`
}

/**
 * Counts, for each table, the keys that have a row with exactly the wanted version. The result has one row per table. The statement needs
 * no join and contains the keys only once. For two tables, it therefore costs half as much as `presenceQuery`.
 */
export function presentQuery<Row>(tables: readonly string[], { columns, version }: TableKey<Row>, settings: string): string {
  const toldApart = columns.flatMap(({ sql, sortedBy }, at) => (sortedBy === undefined ? [] : [[sql, `key${at}`] as const]))
  const same = [...toldApart, [version, 'fromUnixTimestamp64Micro(version_us)'] as const]
  const counts = tables.map(
    table => `SELECT uniqExact(${columns.map(({ sql }) => sql).join(', ')}) AS present FROM ${table} WHERE ${among({ columns }, same)}`,
  )
  return `
  WITH wanted AS (${wantedOf(columns)})
  SELECT present FROM (${counts.join(' UNION ALL ')})
  SETTINGS join_use_nulls = 0${settings}`
}

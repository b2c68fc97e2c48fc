// Determines which rows are stored. A row is stored if the table has this version of the row, or a newer version with the same key, because
// merges keep only the newest version. Each row is looked up separately. One stored row does not prove that its neighbors are stored,
// because an earlier attempt may have divided the rows into chunks at different places. Counting the rows by their provenance does not
// help: if a span was sent twice, a merge keeps only one of the two rows, so the provenance of the other row is lost.
import type { ColumnStore } from '@svc-server/column-store/port'
import { batchesOf, type PresenceBatch } from './batch.ts'
import { mayBeStored, type TableKey } from './key.ts'
import { presenceQuery, presentQuery } from './query.ts'

export interface PresenceOptions {
  /** Approximate maximum bytes of a query's parameters. A response has at most one row per key, so this also limits responses. */
  readonly bytesPerQuery?: number
  /** Maximum number of threads that the column store can use for one query. */
  readonly maxThreads?: number
  /** Called before every query; an error ends the search. */
  readonly beforeQuery?: () => Promise<void>
}

// The embedded engine gets parameters as part of the SQL, and reads at most 256 KiB of SQL. This default leaves about 64 KiB for
// the rest of the SQL.
const defaultBytesPerQuery = 192 * 1024

/** Ascending indexes in `rows`. A row that occurs several times in `rows` has several indexes. */
type Positions = readonly number[]

/**
 * Returns the indexes of the rows that are absent: `table` has no equal or later version of these rows. The caller must first synchronize
 * the replica that responds to the query. Rejects with a column_store_* AppError.
 */
export const absentFrom = <Row>(
  columnStore: ColumnStore,
  table: string,
  key: TableKey<Row>,
  rows: readonly Row[],
  options: PresenceOptions = {},
): Promise<Positions> => search(key, rows, options, createSearch(columnStore, table, key, options))

/**
 * Returns the rows that at least one table lacks. Use this function if usually every table has all rows. If every table has all rows, this
 * function costs half as much as separate lookups in the tables. If a table lacks a row, this function costs one and a half times as much
 * as separate lookups.
 */
export function absentFromAny<Row>(
  columnStore: ColumnStore,
  tables: readonly string[],
  key: TableKey<Row>,
  rows: readonly Row[],
  options: PresenceOptions = {},
): Promise<Positions> {
  const sql = presentQuery(tables, key, settingsOf(options))
  const searches = tables.map(table => createSearch(columnStore, table, key, options))
  return search(key, rows, options, async batch => {
    if (batch.keys !== null) {
      const counts = await columnStore.query<{ present: number | string }>(sql, batch.params)
      if (counts.length === tables.length && counts.every(({ present }) => Number(present) === batch.keys)) return []
    }
    const absent = new Set<number>()
    for (const one of searches) for (const number of await one(batch)) absent.add(number)
    return [...absent]
  })
}

type Search = (batch: PresenceBatch) => Promise<readonly number[]>

const settingsOf = ({ maxThreads }: PresenceOptions) => (maxThreads === undefined ? '' : `, max_threads = ${maxThreads}`)

function createSearch<Row>(columnStore: ColumnStore, table: string, key: TableKey<Row>, options: PresenceOptions): Search {
  const sql = presenceQuery(table, key, settingsOf(options))
  return async ({ params }) => {
    const [row] = await columnStore.query<{ numbers: readonly (number | string)[] }>(sql, params)
    return (row?.numbers ?? []).map(Number)
  }
}

async function search<Row>(
  key: TableKey<Row>,
  rows: readonly Row[],
  { bytesPerQuery = defaultBytesPerQuery, beforeQuery }: PresenceOptions,
  absentIn: Search,
): Promise<Positions> {
  const absent: number[] = []
  const asked: number[] = []
  for (const [at, row] of rows.entries()) (mayBeStored(key, row) ? asked : absent).push(at)
  const askedRows = absent.length === 0 ? rows : asked.map(at => rows[at]!)
  for (const batch of batchesOf(key, askedRows, bytesPerQuery)) {
    await beforeQuery?.()
    for (const number of await absentIn(batch)) absent.push(asked[batch.positions[number]!]!)
  }
  return absent.sort((a, b) => a - b)
}

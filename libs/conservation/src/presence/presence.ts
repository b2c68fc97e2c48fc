// Determines which rows are stored. A row is stored if the table has a row or a tombstone with the same key that is at least as new. A
// stored row stays stored, because merges keep the newest version of a key. Looks up each row, because one present row of a chunk proves
// nothing about the others. Earlier chunks can have had other boundaries, the log can be a new one, or rules can have changed. Counting
// provenances is not enough, because merges and repeated spans remove provenances.
import type { ColumnStore } from '@svc-server/column-store/port'
import { batchesOf, type PresenceBatch } from './batch.ts'
import { mayBeStored, type TableKey } from './key.ts'
import { presenceQuery, presentQuery } from './query.ts'

export interface PresenceOptions {
  /** Approximate bytes of parameters per query. The value only limits memory and the size of responses. */
  readonly bytesPerQuery?: number
  /** Number of threads that the column store uses for one query. */
  readonly maxThreads?: number
  /** Called before every query. The search ends and rejects with an error that this function throws. */
  readonly beforeQuery?: () => Promise<void>
}

// The embedded engine receives parameters as part of the SQL, and reads at most 256 KiB of SQL per statement.
const defaultBytesPerQuery = 192 * 1024

/** Indexes in `rows`, ascending. A row that is listed twice also has its index twice in the result. */
type Positions = readonly number[]

/**
 * Returns the rows of which `table` has no equal or later version. The responding replica determines the result, so the caller must first
 * synchronize the replica. Rejects with a column_store_* AppError.
 */
export const absentFrom = <Row>(
  columnStore: ColumnStore,
  table: string,
  key: TableKey<Row>,
  rows: readonly Row[],
  options: PresenceOptions = {},
): Promise<Positions> => search(key, rows, options, createSearch(columnStore, table, key, options))

/**
 * Returns the rows that are absent from at least one of the tables. The combined query suits rows that are mostly present and unchanged in
 * all tables. Costs the column store half as much as a separate lookup in each table if no row is absent, and one and a half times as much
 * if any row is absent.
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

/** Returns the indexes of a batch's absent rows. */
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

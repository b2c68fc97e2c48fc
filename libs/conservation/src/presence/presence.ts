// Determines whether a row is stored. A row is stored if the table has a row with the same key, tombstones included, that is at least as
// new as the expected row. The presence of one row of a chunk proves nothing about the chunk's other rows, because chunks may have been cut
// differently, a log may have been recreated, or rules may have changed. Counting provenances would not suffice, because merges and
// repeated spans remove provenances. A merge keeps the newest version of a key, so a row that was stored once meets this condition forever.
import type { ColumnStore } from '@svc-server/column-store/port'
import { batchesOf, type PresenceBatch } from './batch.ts'
import { mayBeStored, type TableKey } from './key.ts'
import { presenceQuery, presentQuery } from './query.ts'

export interface PresenceOptions {
  /** Approximate parameter bytes per query. The limit bounds memory and response size, but does not change the results. */
  readonly bytesPerQuery?: number
  /** Number of threads that the column store uses for one query. */
  readonly maxThreads?: number
  /** Called before every query. If this function throws, the search ends with its error. */
  readonly beforeQuery?: () => Promise<void>
}

// The embedded engine receives parameters as part of the SQL, and reads at most 256 KiB of SQL per statement.
const defaultBytesPerQuery = 192 * 1024

/** Indexes in `rows`, ascending. If a row is listed twice, its index appears twice. */
type Positions = readonly number[]

/**
 * Returns the rows for which `table` has no row with the same key and an equal or later version. The lookup reads the state of the replica
 * that responds, so the caller must synchronize the replica first. Rejects with a column_store_* AppError.
 */
export const absentFrom = <Row>(
  columnStore: ColumnStore,
  table: string,
  key: TableKey<Row>,
  rows: readonly Row[],
  options: PresenceOptions = {},
): Promise<Positions> => search(key, rows, options, createSearch(columnStore, table, key, options))

/**
 * Returns the rows that at least one of the tables does not have. Suitable when most rows are present and unchanged in all tables. Compared
 * with a lookup in each table, the column store has half the work if no row is absent, and one and a half times the work if a row is
 * absent.
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

/** Returns indexes of a batch's absent rows. */
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

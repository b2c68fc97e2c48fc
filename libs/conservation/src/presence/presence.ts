// Is it there? The one rule by which a row counts as stored: its key has a row, tombstones included, that is at least as new as ours. One found row
// proves nothing of others (chunks may have been cut otherwise, a recreated log, rules changed), and counted provenances prove too little: merges and
// spans that were sent again take them away. A merge keeps the newest version of a key, so what was stored once has such a row for ever.
import type { ColumnStore } from '@svc-server/column-store/port'
import { batchesOf, type PresenceBatch } from './batch.ts'
import { mayBeStored, type TableKey } from './key.ts'
import { presenceQuery, presentQuery } from './query.ts'

export interface PresenceOptions {
  /** Bytes of a query's parameters, about. They bound memory and answer, and change no result. */
  readonly bytesPerQuery?: number
  /** Threads of the column store for one query. */
  readonly maxThreads?: number
  /** Called before every query; what it throws ends the search. */
  readonly beforeQuery?: () => Promise<void>
}

// The embedded engine takes parameters as SQL, of which it reads 256 KiB.
const defaultBytesPerQuery = 192 * 1024

/** Positions in `rows`, ascending. A row that is listed twice is answered twice. */
type Positions = readonly number[]

/**
 * Which of these rows have no row in `table` with their key and their version or a later one. Reads whatever the replica that answers has: bring it up
 * to date first where there are several. Rejects with a column_store_* AppError.
 */
export const absentFrom = <Row>(
  columnStore: ColumnStore,
  table: string,
  key: TableKey<Row>,
  rows: readonly Row[],
  options: PresenceOptions = {},
): Promise<Positions> => search(key, rows, options, createSearch(columnStore, table, key, options))

/**
 * The same of rows that must be in all of the tables, and mostly are as they were written: those that one of them lacks. For half of the column store's work
 * where none is absent, and half as much again where one is.
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

/** Numbers of a batch's rows that are absent. */
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

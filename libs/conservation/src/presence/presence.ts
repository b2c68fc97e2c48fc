// Is it there? The one rule by which a row counts as stored: its key has a row, tombstones included, that is at least as new as ours. One found row
// proves nothing of others (chunks may have been cut otherwise, a log made anew, rules changed), and counted provenances prove too little: merges and
// spans that were sent again take them away. A merge keeps the newest version of a key, so what was stored once has such a row for ever.
import type { ColumnStore } from '@svc-server/column-store/port'
import { batchesOf } from './batch.ts'
import { mayBeStored, type TableKey } from './key.ts'
import { presenceQuery } from './query.ts'

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

/**
 * Which of these rows have no row in `table` with their key and their version or a later one: their positions in `rows`, ascending. A row that is
 * listed twice is answered twice. Reads whatever the replica that answers has: bring it up to date first where there are several. Rejects with a
 * column_store_* AppError.
 */
export async function absentFrom<Row>(
  columnStore: ColumnStore,
  table: string,
  key: TableKey<Row>,
  rows: readonly Row[],
  { bytesPerQuery = defaultBytesPerQuery, maxThreads, beforeQuery }: PresenceOptions = {},
): Promise<readonly number[]> {
  const sql = presenceQuery(table, key, maxThreads === undefined ? '' : `, max_threads = ${maxThreads}`)
  const absent: number[] = []
  const asked: number[] = []
  for (const [at, row] of rows.entries()) (mayBeStored(key, row) ? asked : absent).push(at)
  const askedRows = absent.length === 0 ? rows : asked.map(at => rows[at]!)
  for (const { positions, params } of batchesOf(key, askedRows, bytesPerQuery)) {
    await beforeQuery?.()
    const [row] = await columnStore.query<{ numbers: readonly (number | string)[] }>(sql, params)
    for (const number of row?.numbers ?? []) absent.push(asked[positions[Number(number)]!]!)
  }
  return absent.sort((a, b) => a - b)
}

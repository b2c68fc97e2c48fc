// Checks key by key whether rows of a chunk are stored. Neither a response nor a token proves that rows are stored. A timed-out insert can
// still be stored later. An engine that was killed between writing its de-duplication log and renaming a part responds "done" forever,
// without having the rows (F41). A stored neighboring row proves nothing either: an earlier attempt could have cut the chunk differently
// (F42), the log could have been recreated (F43), or the rules could have changed (F44).
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { TableKey } from '@svc-server/conservation/presence/key'
import { absentFrom } from '@svc-server/conservation/presence/presence'
import { AppError } from '@svc-server/errors'
import { type Destination, tablesOf } from '../destinations/destination.ts'
import type { RowPlace } from '../destinations/row-encoder.ts'

export interface Probed {
  /** Rows of the chunk that are missing from the table. The dependent table can also lack the missing rows. */
  readonly missing: readonly RowPlace[]
  /** Rows of the chunk that are missing only from the dependent table. */
  readonly unlisted: readonly RowPlace[]
}

/** A destination, and the partition of the log whose rows it receives. */
export interface Probing {
  readonly columnStore: ColumnStore
  readonly destination: Destination
  readonly chunk: { readonly topic: string; readonly partition: number }
}

const keyOf = ({ destination: { key, version, provenance }, chunk: { topic, partition } }: Probing): TableKey<RowPlace> => ({
  columns: key.map((column, at) => ({ ...column, of: place => place.key[at]! })),
  version,
  versionOf: place => place.versionUs,
  ...(provenance === null ? {} : { places: { sql: provenance, prefix: `${topic}/${partition}/`, of: place => place } }),
})

/**
 * A row is present if the table has a row with the same key that is at least as new; a tombstone suffices. If two rows of the chunk's
 * partition have the same version and the table stores record positions, the row that comes later on the log is newer. Rejects with a
 * column_store_* AppError.
 */
export async function probe(probing: Probing, rows: readonly RowPlace[]): Promise<Probed> {
  const { columnStore, destination } = probing
  const { table, dependent } = destination
  await catchUp(columnStore, tablesOf(destination))
  const absent = new Set(await absentFrom(columnStore, table, keyOf(probing), rows))
  const missing = rows.filter((_, at) => absent.has(at))
  const present = absent.size === 0 ? rows : rows.filter((_, at) => !absent.has(at))
  return { missing, unlisted: dependent === null ? [] : await absentIn(probing, dependent.table, present) }
}

/** Returns the rows that the given table of the destination lacks. The query does not wait for replicas. */
export async function absentIn(probing: Probing, table: string, rows: readonly RowPlace[]): Promise<readonly RowPlace[]> {
  const absent = await absentFrom(probing.columnStore, table, keyOf(probing), rows)
  return absent.map(at => rows[at]!)
}

export const notSeen = (where: string) =>
  new AppError('column_store_unavailable', `an insert into ${where} succeeded, but its rows are missing`)

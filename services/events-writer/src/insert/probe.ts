// Checks key by key whether rows of a chunk are stored, because nothing else proves whether a row is stored. A timeout proves nothing: the
// insert can be stored later. A confirmed token proves nothing: an engine that was killed after it wrote its de-duplication log confirms
// the token forever, even if the rows were lost (F41). A stored neighboring row proves nothing either: the chunk may have been cut
// differently (F42), the log may have been recreated (F43), or the rules may have changed (F44).
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { TableKey } from '@svc-server/conservation/presence/key'
import { absentFrom } from '@svc-server/conservation/presence/presence'
import { AppError } from '@svc-server/errors'
import { type Destination, tablesOf } from '../destinations/destination.ts'
import type { RowPlace } from '../destinations/row-encoder.ts'

export interface Probed {
  /** Rows that are missing from the destination's table. These rows can also be missing from its dependent table, which a view fills. */
  readonly missing: readonly RowPlace[]
  /** Rows that are in the destination's table, but missing from its dependent table. */
  readonly unlisted: readonly RowPlace[]
}

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
 * A row is present if the table has a row or tombstone with the same key and the same or a newer version. If two rows have the same version
 * and the table stores the positions of their records, the row with the later position counts as newer. Rejects with a column_store_*
 * AppError.
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

/** Returns the rows that are absent from the table. Does not wait for replicas. */
export async function absentIn(probing: Probing, table: string, rows: readonly RowPlace[]): Promise<readonly RowPlace[]> {
  const absent = await absentFrom(probing.columnStore, table, keyOf(probing), rows)
  return absent.map(at => rows[at]!)
}

export const notSeen = (where: string) =>
  new AppError('column_store_unavailable', `an insert into ${where} succeeded, but its rows are missing`)

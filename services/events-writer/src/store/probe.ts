// Whether rows of a chunk are in the tables, key by key. Neither an answer nor a token proves it: a timed-out insert may land, and an engine that
// was killed between its de-duplication log and the rename of a part answers "done" for ever and has no row (F41). Nor does a row for its neighbours:
// chunks may have been cut otherwise (F42), a log made anew (F43), rules changed (F44).
import { type ColumnStore, catchUp } from '@svc-server/column-store'
import { absentRows } from '@svc-server/conservation'
import { AppError } from '@svc-server/errors'
import type { RowPlace } from '@svc-server/observations'

export const eventsTables = ['events_full', 'events_core'] as const

export interface Probed {
  /** Rows that events_full lacks, and so may events_core. */
  readonly missing: readonly RowPlace[]
  /** Rows that only events_core lacks. */
  readonly unlisted: readonly RowPlace[]
}

/** A row counts as present when its key has one, tombstones included, that is at least as new. Rejects with a column_store_* AppError. */
export async function probe(columnStore: ColumnStore, rows: readonly RowPlace[]): Promise<Probed> {
  await catchUp(columnStore, eventsTables)
  const absent = new Set(await absentRows(columnStore, 'events_full', rows))
  const missing = rows.filter((_, at) => absent.has(at))
  const present = absent.size === 0 ? rows : rows.filter((_, at) => !absent.has(at))
  return { missing, unlisted: await unlistedRows(columnStore, present) }
}

async function unlistedRows(columnStore: ColumnStore, rows: readonly RowPlace[]): Promise<readonly RowPlace[]> {
  const absent = await absentRows(columnStore, 'events_core', rows)
  return absent.map(at => rows[at]!)
}

export const notSeen = (where: string) =>
  new AppError('column_store_unavailable', `an insert into ${where} was answered, and its rows are not there`)

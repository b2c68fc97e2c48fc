// In which tables the spans of a record must be, and how each of them is asked: told without the code that
// makes rows.
import type { ColumnStore } from '@svc-server/column-store/port'
import { tablesInTheEnd } from '@svc-server/modes/flows'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { eventsKey, observationsKey, type RowVersion, runItemsKey, scoresKey, type TableKey } from '../presence/key.ts'
import { absentFrom, type PresenceOptions } from '../presence/presence.ts'

const events = 'events_full'

interface AuditedTable {
  /** It, and those that a view fills from it: a row must be in all of them. */
  readonly tables: readonly string[]
  readonly key: TableKey<RowVersion>
}

const audited: ReadonlyMap<string, AuditedTable> = new Map([
  [events, { tables: [events, 'events_core'], key: eventsKey }],
  ['observations', { tables: ['observations'], key: observationsKey }],
  ['scores', { tables: ['scores'], key: scoresKey }],
  ['dataset_run_items_rmt', { tables: ['dataset_run_items_rmt'], key: runItemsKey }],
])

/** Tables that are asked for the spans of a record. */
export type TablesOf = (topic: string, writeMode: WriteMode | null) => readonly string[]

/**
 * `ownMode`: of the writers, which serve it where a record does not say its own. Such records are of releases
 * that wrote the events tables alone, so that they are looked for in no other.
 */
export const createTablesOf =
  (ownMode: WriteMode): TablesOf =>
  (topic, writeMode) =>
    tablesInTheEnd(topic, writeMode ?? ownMode).filter(table => audited.has(table) && (writeMode !== null || table !== 'observations'))

/** All that the audit looks at. */
export const auditedTables: readonly string[] = [...audited.values()].flatMap(({ tables }) => tables)

/** Positions of rows that one of the tables lacks. Rejects with a column_store_* AppError. */
export async function absentIn(
  columnStore: ColumnStore,
  table: string,
  rows: readonly RowVersion[],
  options: PresenceOptions,
): Promise<ReadonlySet<number>> {
  const { tables, key } = audited.get(table)!
  const absent = new Set<number>()
  for (const one of tables) for (const at of await absentFrom(columnStore, one, key, rows, options)) absent.add(at)
  return absent
}

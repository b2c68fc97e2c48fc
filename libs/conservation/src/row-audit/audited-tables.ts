// Determines which tables must contain a record's items. This module is independent of the code that creates rows.
import type { ColumnStore } from '@svc-server/column-store/port'
import { tablesInTheEnd } from '@svc-server/modes/flows'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import {
  eventsKey,
  mergedObservationsKey,
  observationsKey,
  type RowVersion,
  runItemsKey,
  scoresKey,
  type TableKey,
  tracesKey,
} from '../presence/key.ts'
import { absentFromAny, type PresenceOptions } from '../presence/presence.ts'
import type { ItemKind } from './item-kind.ts'

export interface AuditedTable {
  readonly name: string
  /** The table itself, and the tables that a view fills from it. Each row must be in all of these tables. */
  readonly tables: readonly string[]
  readonly key: TableKey<RowVersion>
}

const events: AuditedTable = { name: 'events_full', tables: ['events_full', 'events_core'], key: eventsKey }
const alone = (name: string, key: TableKey<RowVersion>): AuditedTable => ({ name, tables: [name], key })

const spanTables: readonly AuditedTable[] = [events, alone('observations', observationsKey)]
const singleTables = { score: alone('scores', scoresKey), 'run item': alone('dataset_run_items_rmt', runItemsKey) }
/** The old tables get merged entities from the topic `entities`, and the events tables get them from the staged items. */
const mergedTables = { trace: alone('traces', tracesKey), observation: alone('observations', mergedObservationsKey) }

export type TablesOf = (topic: string, writeMode: WriteMode | null, kind: ItemKind) => readonly AuditedTable[]

/**
 * A record without a mode counts as a record of `ownMode`, with one exception: the spans of such a record are checked only in the events
 * tables, because the releases that wrote records without a mode stored spans in no other tables.
 */
export const createTablesOf =
  (ownMode: WriteMode): TablesOf =>
  (topic, writeMode, kind) => {
    const named: readonly string[] = tablesInTheEnd(topic, writeMode ?? ownMode)
    const fed = (tables: readonly AuditedTable[]) => tables.filter(({ name }) => named.includes(name))
    if (kind === 'span') return fed(writeMode === null ? [events] : spanTables)
    if (kind === 'score' || kind === 'run item') return fed([singleTables[kind]])
    return fed([topic === topicNames.entities ? mergedTables[kind] : events])
  }

export const auditedTables: readonly string[] = [
  ...new Set([...spanTables, ...Object.values(singleTables), ...Object.values(mergedTables)].flatMap(({ tables }) => tables)),
]

/** Returns the indexes of rows that are missing from at least one of the tables. Rejects with a column_store_* AppError. */
export const absentIn = (
  columnStore: ColumnStore,
  { tables, key }: AuditedTable,
  rows: readonly RowVersion[],
  options: PresenceOptions,
): Promise<readonly number[]> => absentFromAny(columnStore, tables, key, rows, options)

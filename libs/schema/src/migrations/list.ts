// The numbered migrations of the column store. Once released, a migration never changes: a new column is a new migration with an ALTER,
// and a column rule that the older CREATE leaves out.
import { createHash } from 'node:crypto'
import { createIngestAudit } from '../audit-table.ts'
import { createDialect, type Dialect } from '../dialect.ts'
import { createEventsCore, createEventsCoreView, createEventsFull } from '../events/ddl.ts'
import { addLedgerDestination, createIngestLedger, keepLedgerDestination } from '../ledger-table.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /** Every statement may run again after a crash in the middle: IF NOT EXISTS, IF EXISTS. */
  up(dialect: Dialect): readonly string[]
  /** Loses the data of what it removes. */
  down(dialect: Dialect): readonly string[]
}

const dropTable = (dialect: Dialect, name: string) => `DROP TABLE IF EXISTS ${dialect.table(name)}${dialect.onCluster} SYNC`

/** Version to rewind to before v3 images are deployed again (contract §§3.1, 9.4). */
export const lastV3Version = 37

/**
 * 38 is the staging table, which the log replaces. 42 and 43 add columns and an index that 39 to 41 have from the start; 44 to 46 drop
 * tables that exist only in databases of v3. Their numbers stay free, so that an operator's runbook keeps its meaning.
 */
export const columnStoreMigrations: readonly Migration[] = [
  { version: 39, name: 'events_full', up: d => [createEventsFull(d)], down: d => [dropTable(d, 'events_full')] },
  { version: 40, name: 'events_core', up: d => [createEventsCore(d)], down: d => [dropTable(d, 'events_core')] },
  { version: 41, name: 'events_core_mv', up: d => [createEventsCoreView(d)], down: d => [dropTable(d, 'events_core_mv')] },
  { version: 47, name: 'ingest_ledger', up: d => [createIngestLedger(d)], down: d => [dropTable(d, 'ingest_ledger')] },
  { version: 48, name: 'ingest_audit', up: d => [createIngestAudit(d)], down: d => [dropTable(d, 'ingest_audit')] },
  { version: 49, name: 'ingest_ledger_destination', up: d => [addLedgerDestination(d)], down: d => [keepLedgerDestination(d)] },
]

// The same text in every deployment, whatever its database, cluster or engine.
const neutral = createDialect({ database: 'checksum', clustered: false })

/** Of what a migration creates; recorded when it is applied, compared at every start. */
export const checksumOf = (migration: Migration): string =>
  createHash('sha256').update(migration.up(neutral).join(';\n')).digest('hex').slice(0, 16)

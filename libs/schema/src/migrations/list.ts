// The numbered migrations of the column store, in two lists. A released migration never changes. A new column needs a new migration with an
// ALTER, and the older CREATE must omit the column.
import { createHash } from 'node:crypto'
import { createIngestAudit } from '../audit-table.ts'
import { createDialect, type Dialect } from '../dialect.ts'
import {
  addMetadataIndex,
  createEventsCore,
  createEventsCoreView,
  createEventsFull,
  dropMetadataIndex,
  mergeEventsAsBefore,
  mergeEventsFullAsMade,
  mergeEventsFullLater,
  mergeEventsLater,
} from '../events/ddl.ts'
import { addLedgerDestination, createIngestLedger, keepLedgerDestination } from '../ledger-table.ts'
import {
  addStagingAttribution,
  createEventLog,
  createProjectEnvironments,
  createStaging,
  createSupersededRunItems,
  createV3Schema,
  dropStagingAttribution,
  makeDurable,
  oldTables,
  resetDurability,
} from '../old-tables/ddl.ts'
import { createSdkUsage } from '../sdk-usage-table.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /**
   * Set only if a migration of our own list changes a table of the shared list. The value is the version of the shared list's migration
   * that creates this table.
   */
  readonly since?: number
  /** Returns statements that apply the migration. The statements can be repeated, because they contain IF NOT EXISTS or IF EXISTS. */
  up(dialect: Dialect): readonly string[]
  /** Returns statements that revert the migration. The data of dropped objects is lost. */
  down(dialect: Dialect): readonly string[]
}

const dropTable = (dialect: Dialect, name: string) => `DROP TABLE IF EXISTS ${dialect.table(name)}${dialect.onCluster} SYNC`

/** Operators migrate to this version before they deploy v3 images again (contract §§3.1, 9.4). */
export const lastV3Version = 37

/** Below this version, the events tables are missing or not filled. */
export const eventsVersion = 41

/**
 * The migrations of the shared list. Their numbers continue the numbers of v3's migrations. The table `schema_migrations`, which v3's tool
 * also uses, contains the number that the store has reached. Migration 37 creates the whole schema of v3 in an empty store. The target
 * version of the shared list cannot be below 37.
 */
export const sharedMigrations: readonly Migration[] = [
  { version: 37, name: 'v3', up: d => createV3Schema(d), down: () => [] },
  { version: 38, name: 'observations_batch_staging', up: d => [createStaging(d)], down: d => [dropTable(d, 'observations_batch_staging')] },
  { version: 39, name: 'events_full', up: d => [createEventsFull(d)], down: d => [dropTable(d, 'events_full')] },
  { version: 40, name: 'events_core', up: d => [createEventsCore(d)], down: d => [dropTable(d, 'events_core')] },
  { version: 41, name: 'events_core_mv', up: d => [createEventsCoreView(d)], down: d => [dropTable(d, 'events_core_mv')] },
  { version: 42, name: 'staging_attribution', up: d => [addStagingAttribution(d)], down: d => [dropStagingAttribution(d)] },
  // This index finds metadata by key and value. New installations create events_core with this index.
  { version: 43, name: 'events_core_metadata_index', up: d => [addMetadataIndex(d)], down: d => [dropMetadataIndex(d)] },
  { version: 44, name: 'drop_event_log', up: d => [dropTable(d, 'event_log')], down: d => [createEventLog(d)] },
  {
    version: 45,
    name: 'drop_project_environments',
    up: d => [dropTable(d, 'project_environments')],
    down: d => [createProjectEnvironments(d)],
  },
  { version: 46, name: 'drop_dataset_run_items', up: d => [dropTable(d, 'dataset_run_items')], down: d => [createSupersededRunItems(d)] },
]

/**
 * Migrations of our own tables and of table settings, unknown to v3. A return to v3 reverts only the migrations that have `since`, because
 * the return drops the tables that these migrations change.
 */
export const ownMigrations: readonly Migration[] = [
  { version: 1, name: 'ingest_ledger', up: d => [createIngestLedger(d)], down: d => [dropTable(d, 'ingest_ledger')] },
  { version: 2, name: 'ingest_audit', up: d => [createIngestAudit(d)], down: d => [dropTable(d, 'ingest_audit')] },
  { version: 3, name: 'ingest_ledger_destination', up: d => [addLedgerDestination(d)], down: d => [keepLedgerDestination(d)] },
  {
    version: 4,
    name: 'old_tables_durability',
    up: d => oldTables.map(table => makeDurable(d, table)),
    down: d => oldTables.map(table => resetDurability(d, table)),
  },
  { version: 5, name: 'sdk_usage', up: d => [createSdkUsage(d)], down: d => [dropTable(d, 'sdk_usage')] },
  { version: 6, name: 'events_full_merges', since: 39, up: d => [mergeEventsFullLater(d)], down: d => [mergeEventsFullAsMade(d)] },
  { version: 7, name: 'events_merges', since: 40, up: mergeEventsLater, down: mergeEventsAsBefore },
]

export type ListName = 'shared' | 'own'

export const migrationLists: Readonly<Record<ListName, readonly Migration[]>> = { shared: sharedMigrations, own: ownMigrations }

export const newestOf = (list: ListName): number => migrationLists[list].at(-1)!.version

// A migration's checksum is always computed from the statements for this fixed database name and without a cluster. The checksum is
// therefore the same for every database, cluster and engine.
const neutral = createDialect({ database: 'checksum', clustered: false })

/** Returns a migration's checksum, which is recorded when the migration is applied, and compared at every start. */
export const checksumOf = (migration: Migration): string =>
  createHash('sha256').update(migration.up(neutral).join(';\n')).digest('hex').slice(0, 16)

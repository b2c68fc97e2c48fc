// The table svc_migrations records the applied migrations with their checksums. Each change of a migration's state is a row.
// The newest row of a migration has its current state. Migrations of our own list are recorded only in this table. The shared list
// continues v3's list. `schema_migrations` has the version of the shared list. svc_migrations shows which migrations of the shared list our
// processes have applied.
import type { Dialect } from '../dialect.ts'
import { checksumOf, type ListName, type Migration } from './list.ts'
import type { ColumnStorePort } from './port.ts'

/** If the state in the newest row is `applying` or `reverting`, the migration was interrupted, and its statements run again. */
export type MigrationState = 'applying' | 'applied' | 'reverting' | 'reverted'

export interface RecordedMigration {
  readonly list: ListName
  readonly version: number
  readonly checksum: string
  readonly state: MigrationState
}

export interface StateChange {
  readonly list: ListName
  readonly migration: Migration
  readonly state: MigrationState
}

export const recordTable = 'svc_migrations'

export const createRecordTable = (
  dialect: Dialect,
): string => `CREATE TABLE IF NOT EXISTS ${dialect.table(recordTable)}${dialect.onCluster} (
  list LowCardinality(String),
  version UInt32,
  name String,
  checksum String,
  state LowCardinality(String),
  at DateTime64(6, 'UTC')
)
ENGINE = ${dialect.replacing('at')}
ORDER BY (list, version)`

type Row = Omit<RecordedMigration, 'version'> & { readonly version: number | string }

export async function readRecords(port: ColumnStorePort, dialect: Dialect): Promise<readonly RecordedMigration[]> {
  const rows = await port.query<Row>(
    `SELECT list, version, checksum, state FROM ${dialect.table(recordTable)} FINAL ORDER BY list, version`,
  )
  return rows.map(row => ({ ...row, version: Number(row.version) }))
}

export async function record(port: ColumnStorePort, dialect: Dialect, changes: readonly StateChange[]): Promise<void> {
  // Each row contains the time. Without the time, two inserts could be equal, and the engine could drop the second as a duplicate block.
  const values = changes.map(
    ({ list, migration, state }) =>
      `('${list}', ${migration.version}, '${migration.name}', '${checksumOf(migration)}', '${state}', now64(6))`,
  )
  await port.command(
    `INSERT INTO ${dialect.table(recordTable)} (list, version, name, checksum, state, at) SETTINGS async_insert = 0 VALUES ${values.join(', ')}`,
  )
}

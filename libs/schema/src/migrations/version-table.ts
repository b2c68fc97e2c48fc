// schema_migrations: which migrations this database has. One row a change of state, the newest wins.

import { createDialect, type Dialect } from '../dialect.ts'
import { checksumOf, type Migration } from './list.ts'
import { MigrationError } from './migration-error.ts'
import type { ColumnStorePort, MigrateOptions } from './port.ts'

/** applying and reverting: a crash came between; the statements run again. */
type MigrationState = 'applying' | 'applied' | 'reverting' | 'reverted'

export interface RecordedMigration {
  readonly version: number
  readonly checksum: string
  readonly state: MigrationState
}

export interface VersionTable {
  read(): Promise<readonly RecordedMigration[]>
  write(migration: Migration, state: MigrationState): Promise<void>
}

const createTable = (dialect: Dialect) => `CREATE TABLE IF NOT EXISTS ${dialect.table('schema_migrations')}${dialect.onCluster} (
  version UInt32,
  name String,
  checksum String,
  state LowCardinality(String),
  at DateTime64(6, 'UTC')
)
ENGINE = ${dialect.replacing('at')}
ORDER BY version`

/** Creates the table if need be. Rejects with `foreign_table` when another tool's table has its name. */
export async function openVersionTable(port: ColumnStorePort, options: MigrateOptions): Promise<VersionTable> {
  const dialect = createDialect(options)
  const table = dialect.table('schema_migrations')
  const columns = await port.query<{ name: string }>(
    `SELECT name FROM system.columns WHERE database = '${options.database}' AND table = 'schema_migrations'`,
  )
  if (columns.length === 0) await port.command(createTable(dialect))
  else if (!columns.some(column => column.name === 'checksum')) {
    const text = `${table} belongs to another migration tool. Choose another database, or rename that table after a backup.`
    throw new MigrationError('foreign_table', text)
  }
  return {
    async read() {
      const rows = await port.query<{ version: number | string; checksum: string; state: MigrationState }>(
        `SELECT version, checksum, state FROM ${table} FINAL ORDER BY version`,
      )
      return rows.map(row => ({ ...row, version: Number(row.version) }))
    },
    async write(migration, state) {
      // The time is part of the row, so that two equal changes of state are never one block to de-duplication.
      const values = `(${migration.version}, '${migration.name}', '${checksumOf(migration)}', '${state}', now64(6))`
      await port.command(`INSERT INTO ${table} (version, name, checksum, state, at) SETTINGS async_insert = 0 VALUES ${values}`)
    },
  }
}

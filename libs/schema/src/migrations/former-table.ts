// Former releases recorded a single list of migrations in their own table. This table was named schema_migrations, like the table of v3's
// tool. The rows of this table are moved to svc_migrations, so that v3's tool can use the name schema_migrations.
import type { Dialect } from '../dialect.ts'
import type { ListName } from './list.ts'
import type { ColumnStorePort } from './port.ts'
import { type MigrationState, type RecordedMigration, recordTable } from './record-table.ts'
import { versionTable } from './version-table.ts'

/** In the former table, the numbers 47, 48 and 49 stand for the first three migrations of our own list. */
const firstOwn = 47
const lastFormer = 49

/** The former table has this column, but v3's table of the same name does not. The column therefore distinguishes the two tables. */
export const formerColumn = 'checksum'

/** The former table contains migrations of the shared list only up to this number. */
export const lastFormerShared = 41

const placeOf = (former: number): { readonly list: ListName; readonly version: number } =>
  former < firstOwn ? { list: 'shared', version: former } : { list: 'own', version: former - firstOwn + 1 }

/** The former table contains migrations only up to this number. */
export const newestFormer = lastFormer

interface FormerRow {
  readonly version: number | string
  readonly checksum: string
  readonly state: MigrationState
}

export async function readFormer(port: ColumnStorePort, dialect: Dialect): Promise<readonly (RecordedMigration & { former: number })[]> {
  const rows = await port.query<FormerRow>(`SELECT version, checksum, state FROM ${dialect.table(versionTable)} FINAL ORDER BY version`)
  return rows.map(({ version, checksum, state }) => ({ ...placeOf(Number(version)), former: Number(version), checksum, state }))
}

/**
 * Copies the rows to svc_migrations, which must exist. For each migration, the row with the newest time `at` counts. Copied rows keep their
 * time `at`, so repeating the copy after a crash changes nothing.
 */
export const copyFormer = (dialect: Dialect): string =>
  `INSERT INTO ${dialect.table(recordTable)} (list, version, name, checksum, state, at)
SELECT if(version < ${firstOwn}, 'shared', 'own'), if(version < ${firstOwn}, version, version - ${firstOwn - 1}), name, checksum, state, at
FROM ${dialect.table(versionTable)}
SETTINGS async_insert = 0`

export const dropFormer = (dialect: Dialect): string => `DROP TABLE IF EXISTS ${dialect.table(versionTable)}${dialect.onCluster} SYNC`

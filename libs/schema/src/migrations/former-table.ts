// Releases of ours before these lists kept all their numbers in a schema_migrations of their own making. What
// it says moves to svc_migrations whole; the name becomes free for the table that v3's tool reads.
import type { Dialect } from '../dialect.ts'
import type { ListName } from './list.ts'
import type { ColumnStorePort } from './port.ts'
import { type MigrationState, type RecordedMigration, recordTable } from './record-table.ts'
import { versionTable } from './version-table.ts'

/** 47, 48 and 49 were the first three of the own list. */
const firstOwn = 47
const lastFormer = 49

/** The column by which that table is told from the tool's. */
export const formerColumn = 'checksum'

/** 41 was the newest of the shared one. */
export const lastFormerShared = 41

const placeOf = (former: number): { readonly list: ListName; readonly version: number } =>
  former < firstOwn ? { list: 'shared', version: former } : { list: 'own', version: former - firstOwn + 1 }

/** Newest number that such a table may name. */
export const newestFormer = lastFormer

interface FormerRow {
  readonly version: number | string
  readonly checksum: string
  readonly state: MigrationState
}

/** What the former table says, in the terms of the two lists. */
export async function readFormer(port: ColumnStorePort, dialect: Dialect): Promise<readonly (RecordedMigration & { former: number })[]> {
  const rows = await port.query<FormerRow>(`SELECT version, checksum, state FROM ${dialect.table(versionTable)} FINAL ORDER BY version`)
  return rows.map(({ version, checksum, state }) => ({ ...placeOf(Number(version)), former: Number(version), checksum, state }))
}

/**
 * Every row with its time, so that doing it again after a crash changes nothing. The record table must be
 * there.
 */
export const copyFormer = (dialect: Dialect): string =>
  `INSERT INTO ${dialect.table(recordTable)} (list, version, name, checksum, state, at)
SELECT if(version < ${firstOwn}, 'shared', 'own'), if(version < ${firstOwn}, version, version - ${firstOwn - 1}), name, checksum, state, at
FROM ${dialect.table(versionTable)}
SETTINGS async_insert = 0`

export const dropFormer = (dialect: Dialect): string => `DROP TABLE IF EXISTS ${dialect.table(versionTable)}${dialect.onCluster} SYNC`

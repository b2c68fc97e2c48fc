// Reads the migration state of a column store, without writing.
import type { Dialect } from '../dialect.ts'
import { formerColumn, newestFormer, readFormer } from './former-table.ts'
import { checksumOf, type ListName, lastV3Version, migrationLists, newestOf } from './list.ts'
import { MigrationError } from './migration-error.ts'
import type { ColumnStorePort } from './port.ts'
import { type MigrationState, type RecordedMigration, readRecords, recordTable } from './record-table.ts'
import { readVersion, type SharedVersion, toolColumns, versionTable } from './version-table.ts'

export interface SchemaState {
  readonly shared: SharedVersion
  readonly records: readonly RecordedMigration[]
  /** True if the table schema_migrations still has the columns of our former releases. */
  readonly isFormer: boolean
}

/**
 * Rejects with `foreign_table` if the table schema_migrations belongs to a different tool. Rejects with `newer_schema` if this table still
 * has the columns of our former releases, but contains migrations that this release does not know.
 */
export async function readState(port: ColumnStorePort, dialect: Dialect, database: string): Promise<SchemaState> {
  const columns = await port.query<{ table: string; name: string }>(
    `SELECT table, name FROM system.columns WHERE database = '${database}' AND table IN ('${versionTable}', '${recordTable}')`,
  )
  const of = (table: string) => columns.filter(column => column.table === table).map(column => column.name)
  const [version, records] = [of(versionTable), of(recordTable)]
  const known = records.length === 0 ? [] : await readRecords(port, dialect)
  if (version.includes(formerColumn)) {
    const former = await readFormer(port, dialect)
    const ahead = former.filter(row => row.former > newestFormer && row.state !== 'reverted').at(-1)
    if (ahead !== undefined) throw newer(ahead.former, newestFormer)
    return { shared: { version: undefined, dirty: false }, records: former, isFormer: true }
  }
  if (version.length > 0 && !toolColumns.every(name => version.includes(name))) {
    const text = `${dialect.table(versionTable)} belongs to a different migration tool. Choose a different database, or rename that table after a backup.`
    throw new MigrationError('foreign_table', text)
  }
  const shared = version.length === 0 ? { version: undefined, dirty: false } : await readVersion(port, dialect)
  return { shared, records: known, isFormer: false }
}

const newer = (at: number, known: number, what = 'version') =>
  new MigrationError(
    'newer_schema',
    `The column store is at ${what} ${at}, but this release knows versions only up to ${known}. Deploy the newer release. Or use the newer release to migrate down, and then deploy this release.`,
  )

export const recordOf = ({ records }: SchemaState, list: ListName, version: number): RecordedMigration | undefined =>
  records.find(each => each.list === list && each.version === version)

/** Returns the migration that one of our processes left unfinished, if any. */
function interrupted(state: SchemaState): RecordedMigration | undefined {
  if (!state.shared.dirty) return undefined
  // Before v3's tool runs a migration, it records the version that results from the migration. When migrating up, the recorded version is
  // the version of the migration itself. When migrating down, the recorded version is lower by one.
  const at = state.shared.version ?? lastV3Version - 1
  const up = recordOf(state, 'shared', at)
  if (up?.state === 'applying') return up
  const down = recordOf(state, 'shared', at + 1)
  return down?.state === 'reverting' ? down : undefined
}

/** Throws MigrationError if the recorded state cannot be migrated. */
export function checkState(state: SchemaState, dialect: Dialect): void {
  const { shared } = state
  const newestShared = newestOf('shared')
  if (shared.version !== undefined && shared.version > newestShared) throw newer(shared.version, newestShared)
  const own = state.records.filter(each => each.list === 'own' && each.version > newestOf('own') && each.state !== 'reverted').at(-1)
  if (own !== undefined) throw newer(own.version, newestOf('own'), 'own version')
  if (shared.dirty && interrupted(state) === undefined) throw dirty(shared, dialect)
  if (shared.version !== undefined && shared.version < lastV3Version && !shared.dirty) {
    const text = `The column store is at version ${shared.version} of v3. The last version of v3 is ${lastV3Version}. First deploy the latest v3 release, which migrates its own tables to that version.`
    throw new MigrationError('older_schema', text)
  }
  checkChecksums(state)
}

function dirty({ version }: SharedVersion, dialect: Dialect): MigrationError {
  const table = dialect.table(versionTable)
  const text =
    `${table} is dirty at version ${version ?? 'none'}: another migration tool was interrupted in the middle of it. Nothing was changed. Find out what that ` +
    `migration has done, finish it or undo it by hand, then say where the schema is: migrate force VERSION with that tool, or ` +
    `INSERT INTO ${table} (version, dirty, sequence) VALUES (VERSION, 0, toUnixTimestamp64Nano(now64(9))).`
  return new MigrationError('dirty_schema', text)
}

const isIn = (state: SchemaState, version: number, what: MigrationState) => recordOf(state, 'shared', version)?.state === what

/** Returns the version up to which the shared list (ADR 0021) is applied. An upgrade begins after this version. */
export function sharedLevel(state: SchemaState): number {
  const unfinished = interrupted(state)
  if (unfinished === undefined) return state.shared.version ?? recordedLevel(state)
  // In an empty store, svc marks all planned migrations as `applying` before it runs the first of them. The loop therefore goes back to the
  // version before the first migration that is `applying`.
  let level = unfinished.version - 1
  while (unfinished.state === 'applying' && isIn(state, level, 'applying')) level--
  return level
}

/** Computes `sharedLevel` from `state.records`. Used if the shared version is undefined, as in a store without `schema_migrations`. */
function recordedLevel(state: SchemaState): number {
  let level = lastV3Version - 1
  while (isIn(state, level + 1, 'applied')) level++
  return level
}

/**
 * Returns the version of the shared list's last migration that may have created objects in the store. Migrating down begins at this
 * version.
 */
export const highestShared = (state: SchemaState): number => Math.max(sharedLevel(state), interrupted(state)?.version ?? 0)

function checkChecksums(state: SchemaState): void {
  for (const list of ['shared', 'own'] as const) {
    for (const migration of migrationLists[list]) {
      const recorded = recordOf(state, list, migration.version)
      if (recorded?.state !== 'applied' || recorded.checksum === checksumOf(migration)) continue
      const text = `Migration ${migration.version} (${migration.name}) was applied with a different text: its checksum was ${recorded.checksum} and is now ${checksumOf(migration)}.`
      throw new MigrationError('changed_migration', `${text} A released migration must not change. Put the change into a new migration.`)
    }
  }
}

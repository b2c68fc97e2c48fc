// Numbered migrations, run at start. PostgreSQL holds an advisory lock meanwhile, so replicas that start together take turns.
import { AppError } from '@svc-server/errors'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { storeError } from '../store-errors.ts'
import { keys } from './0001-keys.ts'
import { catalogue } from './0002-catalogue.ts'

/** By name, which orders them. One that was released is never changed. */
const migrations: Readonly<Record<string, Migration>> = { '0001-keys': keys, '0002-catalogue': catalogue }

export const migrationNames = Object.keys(migrations)

/** Brings the schema to the newest version. Throws `migration_failed`, or `relational_unavailable`. */
export const migrateToLatest = async <D>(db: Kysely<D>): Promise<readonly string[]> => {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: 'svc_migrations',
    migrationLockTableName: 'svc_migrations_lock',
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error === undefined) return results.map(result => result.migrationName)

  const known = storeError(error)
  if (known instanceof AppError) throw known
  const failed = results.find(result => result.status === 'Error')?.migrationName
  const what = failed === undefined ? 'The schema of the relational store cannot be migrated' : `Migration ${failed} failed`
  throw new AppError(
    'migration_failed',
    `${what}: ${error instanceof Error ? error.message : String(error)}`,
    { migration: failed },
    { cause: error },
  )
}

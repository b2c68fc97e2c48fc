// Migrates the column store's tables at startup, one process at a time. Refuses a column store whose version is too old.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError, isAppError, isRetryable } from '@svc-server/errors'
import type { RelationalStore } from '@svc-server/relational/store'
import { type MigrationPlan, migrateColumnStore, planMigration } from '@svc-server/schema/migrations/migrate'
import { MigrationError } from '@svc-server/schema/migrations/migration-error'
import type { MigrationStep } from '@svc-server/schema/migrations/port'

export interface MigrateOptions {
  readonly clustered: boolean
  readonly clusterName?: string
  /** If false, nothing is migrated. Outdated tables then cause an error that names `svc migrate up`. */
  readonly apply?: boolean
  /** Provides the lock for migrations, because the column store has no locks. */
  readonly relational: Pick<RelationalStore, 'exclusive'>
  readonly onProgress?: (step: MigrationStep) => void
}

/** The lock's name in the relational store. */
export const migrationLock = 'svc column store migrations'

function requireNothing({ steps }: MigrationPlan): void {
  if (steps.length === 0) return
  const list = steps.map(({ list, migration, direction }) => `${list === 'own' ? 'own ' : ''}${direction} ${migration.version}`)
  const text = `The tables of the column store lack migrations (${list.join(', ')}), and SVC_AUTO_COLUMNSTORE_MIGRATION_DISABLED=true: run svc migrate up.`
  throw new AppError('migration_failed', text)
}

const oldestVersion = [25, 12] as const

function requireVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1])) return
  throw new AppError(
    'config_invalid',
    `The column store is ClickHouse ${version}; ${oldestVersion.join('.')} or newer is needed, 26.4 recommended.`,
    {
      version,
    },
  )
}

/** Throws `migration_failed`, `config_invalid` (the column store's version is too old), or an error of the stores. */
export async function migrateTables(columnStore: ColumnStore, { relational, apply = true, ...options }: MigrateOptions): Promise<void> {
  requireVersion((await columnStore.identify()).version)
  const placed = { database: columnStore.database, ...options }
  try {
    if (apply) await relational.exclusive(migrationLock, () => migrateColumnStore(columnStore, placed))
    else requireNothing(await planMigration(columnStore, placed))
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    // If the migration failed because the server was unavailable, a retry continues with the failed step.
    if (isAppError(error.cause) && isRetryable(error.cause)) throw error.cause
    throw new AppError('migration_failed', error.message, {}, { cause: error })
  }
}

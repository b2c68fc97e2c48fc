// Runs numbered migrations at startup, under an advisory lock of PostgreSQL, so that replicas that start at the same time wait for each
// other.
import { AppError, isAppError } from '@svc-server/errors'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { isOfV3, requireFinished } from '../v3-database.ts'
import { keys } from './0001-keys.ts'
import { catalogue } from './0002-catalogue.ts'
import { datasetsAndScoreConfigs } from './0003-datasets-and-score-configs.ts'
import { v3Shape } from './0004-v3-shape.ts'
import { deletionsAndAuditLog } from './0005-deletions-and-audit-log.ts'
import { backgroundMigrations } from './0006-background-migrations.ts'
import { comments } from './0007-comments.ts'
import { annotationQueues } from './0008-annotation-queues.ts'
import { prompts } from './0009-prompts.ts'
import { media } from './0010-media.ts'
import { traceSessions } from './0011-trace-sessions.ts'
import { llmConnections } from './0012-llm-connections.ts'
import { users } from './0013-users.ts'
import { evaluators } from './0014-evaluators.ts'
import { datasetItemMedia } from './0015-dataset-item-media.ts'
import { currentDatasetItems } from './0016-current-dataset-items.ts'
import { dashboards } from './0017-dashboards.ts'
import { savedViews } from './0018-saved-views.ts'
import { datasetItemCounts } from './0019-dataset-item-counts.ts'
import { datasetItemSources } from './0020-dataset-item-sources.ts'
import { arrivals } from './0021-arrivals.ts'
import { isThere } from './is-there.ts'

const takeover = '0004-v3-shape'

/** Sorted by name. A released migration never changes. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-keys': keys,
  '0002-catalogue': catalogue,
  '0003-datasets-and-score-configs': datasetsAndScoreConfigs,
  [takeover]: v3Shape,
  '0005-deletions-and-audit-log': deletionsAndAuditLog,
  '0006-background-migrations': backgroundMigrations,
  '0007-comments': comments,
  '0008-annotation-queues': annotationQueues,
  '0009-prompts': prompts,
  '0010-media': media,
  '0011-trace-sessions': traceSessions,
  '0012-llm-connections': llmConnections,
  '0013-users': users,
  '0014-evaluators': evaluators,
  '0015-dataset-item-media': datasetItemMedia,
  '0016-current-dataset-items': currentDatasetItems,
  '0017-dashboards': dashboards,
  '0018-saved-views': savedViews,
  '0019-dataset-item-counts': datasetItemCounts,
  '0020-dataset-item-sources': datasetItemSources,
  '0021-arrivals': arrivals,
}

export const migrationNames = Object.keys(migrations)

const historyTable = 'svc_migrations'

export interface MigrationChoice {
  /** If false, an outdated schema is not migrated but causes an error. */
  readonly apply?: boolean
  /** If true, the migration also drops tables from which v3 has not yet copied all rows. These rows are lost. */
  readonly giveUpUnfinished?: boolean
}

/** Throws `migration_failed` if the database contains a migration that this release does not have. */
async function pendingMigrations(db: Kysely<unknown>): Promise<readonly string[]> {
  if (!(await isThere(db, historyTable))) return migrationNames
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(historyTable)}`.execute(db)
  const applied = new Set(rows.map(row => row.name))
  const unknown = rows.find(({ name }) => !migrationNames.includes(name))
  if (unknown !== undefined) {
    throw new AppError(
      'migration_failed',
      `A newer release has migrated the relational database: it contains ${unknown.name}. Deploy that release.`,
    )
  }
  return migrationNames.filter(name => !applied.has(name))
}

/** Throws `migration_failed` if the pending migrations cannot run. */
export async function checkMigrations(db: Kysely<unknown>, choice: MigrationChoice): Promise<readonly string[]> {
  const pending = await pendingMigrations(db)
  if (pending.includes(takeover) && (await isOfV3(db))) await requireFinished(db, choice)
  return pending
}

/** Returns the applied migrations. Throws `migration_failed` or `relational_unavailable`. */
export async function migrateToLatest<D>(db: Kysely<D>, choice: MigrationChoice = {}): Promise<readonly string[]> {
  const pending = await checkMigrations(db as Kysely<unknown>, choice)
  if (pending.length === 0) return []
  if (choice.apply === false) {
    const text = `The relational database lacks ${pending.join(', ')}: run svc migrate up. Services migrate at their start, unless SVC_AUTO_POSTGRES_MIGRATION_DISABLED=true.`
    throw new AppError('migration_failed', text)
  }
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: historyTable,
    migrationLockTableName: 'svc_migrations_lock',
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error === undefined) return results.map(result => result.migrationName)

  if (isAppError(error) && error.code === 'relational_unavailable') throw error
  const failed = results.find(result => result.status === 'Error')?.migrationName
  const what = failed === undefined ? 'The schema of the relational store cannot be migrated' : `Migration ${failed} failed`
  throw new AppError(
    'migration_failed',
    `${what}: ${error instanceof Error ? error.message : String(error)}`,
    { migration: failed },
    { cause: error },
  )
}

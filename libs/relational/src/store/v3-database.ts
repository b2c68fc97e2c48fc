// Recognizes a database that v3 created, checks whether v3 has finished its migrations, and drops v3's superseded tables (contract §9.4).
import { AppError } from '@svc-server/errors'
import { type Kysely, sql } from 'kysely'
import { isThere } from './migrations/is-there.ts'

/** A database of v3 contains the history of v3's migration tool and v3's list of background migrations. */
export const isOfV3 = async (db: Kysely<unknown>): Promise<boolean> =>
  (await isThere(db, '_prisma_migrations')) && (await isThere(db, 'background_migrations'))

/** Selects v3's own migrations. The table can also contain v4's steps, if a preview of v4 has left them there. */
const ofV3 = sql`finished_at is null and name not like '%\\_v4\\_step\\_%'`

interface Unfinished {
  readonly name: string
  readonly failed_reason: string | null
}

async function unfinishedMigrations(db: Kysely<unknown>): Promise<readonly Unfinished[]> {
  const { rows } = await sql<Unfinished>`select name, failed_reason from background_migrations where ${ofV3} order by name`.execute(db)
  return rows
}

/**
 * Throws `migration_failed` if v3 stopped during a schema migration, or before it had copied all rows from tables that will be dropped. An
 * operator can discard such rows, but cannot skip a schema migration.
 */
export async function requireFinished(
  db: Kysely<unknown>,
  { giveUpUnfinished = false }: { readonly giveUpUnfinished?: boolean },
): Promise<void> {
  const { rows: interrupted } = await sql<{ name: string }>`select migration_name as name from _prisma_migrations
    where finished_at is null and rolled_back_at is null order by started_at`.execute(db)
  if (interrupted.length > 0) {
    const text = `v3 was interrupted in migrations of the relational database: ${interrupted.map(each => each.name).join(', ')}. Start the latest v3 release until they are done, then upgrade.`
    throw new AppError('migration_failed', text)
  }
  if (giveUpUnfinished) return
  const unfinished = await unfinishedMigrations(db)
  if (unfinished.length === 0) return
  const list = unfinished.map(({ name, failed_reason }) => (failed_reason === null ? name : `${name} (failed: ${failed_reason})`))
  const text =
    `Background migrations of v3 are not finished: ${list.join(', ')}. The upgrade drops the tables that they copy from, and data that is not copied is lost. ` +
    'Let the latest v3 release finish them, or give up this data with SVC_MIGRATION_V4_GIVE_UP_BACKGROUND_MIGRATIONS=true (svc migrate up --give-up-background-migrations).'
  throw new AppError('migration_failed', text)
}

const supersededTables = ['traces', 'observations', 'scores', 'dataset_run_items']

const supersededTypes = ['ObservationType', 'ObservationLevel', 'ScoreSource']

/**
 * Drops the superseded tables, with the constraints and views that refer to them. Deletes v3's unfinished migrations from the
 * table `background_migrations`.
 */
export async function dropSuperseded(db: Kysely<unknown>): Promise<void> {
  for (const table of supersededTables) await sql`drop table if exists ${sql.table(table)} cascade`.execute(db)
  for (const type of supersededTypes) {
    const { rows } = await sql<{ used: boolean }>`select exists (
      select from pg_attribute a join pg_type t on t.oid = a.atttypid or t.typelem = a.atttypid where t.typname = ${type} and not a.attisdropped
    ) as used`.execute(db)
    if (!rows[0]!.used) await sql`drop type if exists ${sql.id(type)}`.execute(db)
  }
  await sql`delete from background_migrations where ${ofV3}`.execute(db)
}

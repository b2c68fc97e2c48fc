// Creates the table of background work (contract §§15.1, 15.3) unless v3 has created it, and inserts the five rows of the backfill.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { backfillSteps } from './backfill-steps.ts'

export const backgroundMigrations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table if not exists background_migrations (
      id text primary key, name text not null unique, script text not null, args jsonb not null, state jsonb not null default '{}',
      finished_at timestamp(3), failed_at timestamp(3), failed_reason text, worker_id text, locked_at timestamp(3))`.execute(db)
    for (const { id, name, script, gate } of backfillSteps) {
      await sql`insert into background_migrations (id, name, script, args) values (${id}, ${name}, ${script}, ${JSON.stringify({ envGate: gate })}::jsonb)
        on conflict do nothing`.execute(db)
    }
  },

  async down(db: Kysely<unknown>) {
    for (const { id } of backfillSteps) await sql`delete from background_migrations where id = ${id}`.execute(db)
  },
}

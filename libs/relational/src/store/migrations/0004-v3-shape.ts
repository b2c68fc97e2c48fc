// Converts the tables of v3 and the tables of the migration 0001 to one form, so that the same statements work on both. v3 images still
// work after migrating back (contract §9.4). The tables of v3 only get additional columns that an insert can omit. Existing columns never
// change.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { dropSuperseded, isOfV3 } from '../v3-database.ts'

/** Columns to add: columns of v3 that the migration 0001 does not create, and columns that only this product has. */
const additions: Readonly<Record<string, readonly string[]>> = {
  organizations: [
    'updated_at timestamptz not null default now()',
    'cloud_config jsonb',
    'metadata jsonb',
    'ai_features_enabled boolean not null default false',
  ],
  projects: [
    'updated_at timestamptz not null default now()',
    'retention_days integer',
    'has_traces boolean not null default false',
    'metadata jsonb',
  ],
  api_keys: [
    'organization_id text references organizations (id) on delete cascade',
    'is_in_app_agent_key boolean not null default false',
    'created_by_user_id text',
    'created_by_api_key_id text',
    'fast_hash_salt_id text',
    'revoked_at timestamptz',
  ],
}

export const v3Shape: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [table, columns] of Object.entries(additions)) {
      const list = columns.map(column => `add column if not exists ${column}`).join(', ')
      await sql.raw(`alter table ${table} ${list}`).execute(db)
    }
    await isOfV3(db).then(of => (of ? dropSuperseded(db) : convertKeys(db)))
  },

  async down() {
    // After this migration, nothing in the database shows whether v3 or the migration 0001 created a table.
    throw new Error('The change to the shape of v3 cannot be reverted.')
  },
}

/**
 * Converts keys to v3's form. Migration 0001 stored these keys in a different form. In v3's form, the key of a project names the project,
 * but no organization.
 */
async function convertKeys(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys drop constraint api_keys_scope`.execute(db)
  await sql`update api_keys set organization_id = org_id where scope = 'organization'`.execute(db)
  await sql`update api_keys set scope = upper(scope)`.execute(db)
  // v3 ignores the date at which a key was revoked. If a revoked key kept its hashes, v3 would still accept the key.
  await sql`update api_keys set fast_hashed_secret_key = null, hashed_secret_key = 'revoked ' || id where revoked_at is not null`.execute(
    db,
  )
  await sql`alter table api_keys drop column org_id, alter column scope set default 'PROJECT'`.execute(db)
  await sql`alter table api_keys add constraint api_keys_scope check (
    (scope = 'PROJECT' and project_id is not null and organization_id is null)
    or (scope = 'ORGANIZATION' and project_id is null and organization_id is not null))`.execute(db)
  await sql`create index api_keys_organization_id on api_keys (organization_id)`.execute(db)
}

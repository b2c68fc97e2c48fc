// One shape for what v3 made and what 0001 made, so that the same statements serve both, and v3's images after the way back (contract §9.4). What v3 has
// is extended by columns that may be absent from an insert, and never changed.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { dropSuperseded, isOfV3 } from '../v3-database.ts'

/** Column by column, of each table: what v3 has and 0001 has not, and what only we have. */
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
    // What 0001 and v3 made is not told apart any more.
    throw new Error('The shape of v3 cannot be taken back.')
  },
}

/** Of 0001: a key says whose it is as v3's do. The organisation of a project's key is the project's. */
async function convertKeys(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys drop constraint api_keys_scope`.execute(db)
  await sql`update api_keys set organization_id = org_id where scope = 'organization'`.execute(db)
  await sql`update api_keys set scope = upper(scope)`.execute(db)
  // v3 knows no date of revocation: what it can look up must not be there.
  await sql`update api_keys set fast_hashed_secret_key = null, hashed_secret_key = 'revoked ' || id where revoked_at is not null`.execute(
    db,
  )
  await sql`alter table api_keys drop column org_id, alter column scope set default 'PROJECT'`.execute(db)
  await sql`alter table api_keys add constraint api_keys_scope check (
    (scope = 'PROJECT' and project_id is not null and organization_id is null)
    or (scope = 'ORGANIZATION' and project_id is null and organization_id is not null))`.execute(db)
  await sql`create index api_keys_organization_id on api_keys (organization_id)`.execute(db)
}

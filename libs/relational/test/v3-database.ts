// Creates databases with rows, as v3 or an early release of this product left them. A database of v3 has only the tables that the tests
// need. The early releases had a different schema than v3 (`formerSchema`).
import { createHash } from 'node:crypto'
import { testDatabase } from '@svc-server/dev-servers/test-database'
import { Client } from 'pg'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  query<Row = Record<string, unknown>>(sql: string): Promise<Row[]>
}

/** Creates an empty database. */
export async function newDatabase(): Promise<TestDatabase> {
  const { url, remove } = await testDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    url,
    query: async sql => (await client.query(sql)).rows,
    async [Symbol.asyncDispose]() {
      await client.end()
      await remove()
    },
  }
}

const hex = (text: string) => createHash('sha256').update(text).digest('hex')

/** Computes v3's fast hash from the secret and the salt of the deployment. */
export const v3FastHash = (secretKey: string, salt: string): string => hex(secretKey + hex(salt))

const time = (name: string, more = 'not null default current_timestamp') => `${name} timestamp(3) ${more}`

/** A database of v3 with organization `o`, project `p`, three keys, a model, and the tables that later releases replaced. */
export const v3Schema = (salt: string): string => `
  create type "ApiKeyScope" as enum ('ORGANIZATION', 'PROJECT');
  create type "ObservationType" as enum ('SPAN', 'EVENT', 'GENERATION');
  create type "ObservationLevel" as enum ('DEBUG', 'DEFAULT', 'WARNING', 'ERROR');
  create type "ScoreSource" as enum ('ANNOTATION', 'API', 'EVAL');
  create table _prisma_migrations (id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
    logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0);
  insert into _prisma_migrations (id, checksum, finished_at, migration_name) values ('1', 'c', now(), '20230518191501_init');
  create table background_migrations (id text primary key, name text not null unique, script text not null, args jsonb not null,
    ${time('finished_at', '')}, ${time('failed_at', '')}, failed_reason text, worker_id text, ${time('locked_at', '')}, state jsonb not null default '{}');
  insert into background_migrations (id, name, script, args, finished_at) values ('b1', '20241024_1730_copy_traces', 'copyTraces', '{}', now());
  create table organizations (id text primary key, name text not null, ${time('created_at')}, ${time('updated_at')}, cloud_config jsonb, metadata jsonb);
  create table projects (id text primary key, ${time('created_at')}, ${time('updated_at')}, ${time('deleted_at', '')}, name text not null,
    org_id text not null references organizations (id) on delete cascade on update cascade, retention_days integer, has_traces boolean not null default false);
  create table api_keys (id text primary key, ${time('created_at')}, note text, public_key text not null unique, hashed_secret_key text not null unique,
    fast_hashed_secret_key text unique, display_secret_key text not null, ${time('last_used_at', '')}, ${time('expires_at', '')},
    project_id text references projects (id) on delete cascade, organization_id text references organizations (id) on delete cascade,
    scope "ApiKeyScope" not null default 'PROJECT');
  create table models (id text primary key, ${time('created_at')}, ${time('updated_at')}, project_id text references projects (id), model_name text not null,
    match_pattern text not null, ${time('start_date', '')}, input_price numeric(65,30), output_price numeric(65,30), total_price numeric(65,30), unit text,
    tokenizer_id text, tokenizer_config jsonb);
  create table pricing_tiers (id text primary key, ${time('created_at')}, ${time('updated_at')}, model_id text not null references models (id), name text not null,
    is_default boolean not null default false, priority integer not null, conditions jsonb not null);
  create table prices (id text primary key, ${time('created_at')}, ${time('updated_at')}, model_id text not null, project_id text,
    pricing_tier_id text not null references pricing_tiers (id), usage_type text not null, price numeric(65,30) not null);
  create table prompts (id text primary key, ${time('created_at')}, ${time('updated_at')}, project_id text not null, created_by text not null, name text not null,
    version integer not null, is_active boolean, config json not null default '{}', prompt jsonb not null, type text not null default 'text',
    tags text[] default '{}', labels text[] default '{}', commit_message text);
  create table traces (id text primary key, project_id text not null, name text);
  create table observations (id text primary key, project_id text not null, type "ObservationType" not null, level "ObservationLevel" not null default 'DEFAULT');
  create table scores (id text primary key, project_id text not null, source "ScoreSource" not null);
  create table dataset_run_items (id text not null, project_id text not null, primary key (id, project_id));
  create view observations_view as select o.id, t.name as trace_name from observations o left join traces t using (project_id);
  create table job_executions (id text primary key, job_output_score_id text references scores (id) on delete set null);
  insert into organizations (id, name) values ('o', 'Org');
  insert into projects (id, name, org_id, retention_days) values ('p', 'Project', 'o', 30);
  insert into projects (id, name, org_id, deleted_at) values ('gone', 'Deleted', 'o', now());
  insert into api_keys (id, public_key, hashed_secret_key, fast_hashed_secret_key, display_secret_key, project_id, expires_at) values
    ('k', 'pk-v3', '$2a$11$a', '${v3FastHash('sk-v3-secret', salt)}', 'sk-v3...cret', 'p', null),
    ('late', 'pk-late', '$2a$11$b', '${v3FastHash('sk-v3-late', salt)}', 'sk-v3...late', 'p', '2026-11-22 09:59:59'),
    ('soon', 'pk-soon', '$2a$11$e', '${v3FastHash('sk-v3-soon', salt)}', 'sk-v3...soon', 'p', '2026-11-22 10:00:01'),
    ('d', 'pk-gone', '$2a$11$c', '${v3FastHash('sk-v3-gone', salt)}', 'sk-v3...gone', 'gone', null);
  insert into api_keys (id, public_key, hashed_secret_key, fast_hashed_secret_key, display_secret_key, organization_id, scope) values
    ('ok', 'pk-org', '$2a$11$d', '${v3FastHash('sk-v3-org', salt)}', 'sk-v3...-org', 'o', 'ORGANIZATION');
  insert into models (id, model_name, match_pattern, unit, tokenizer_config) values ('m', 'gpt', '(?i)^gpt$', 'TOKENS', '{"a": 1}');
  insert into pricing_tiers (id, model_id, name, is_default, priority, conditions) values ('t', 'm', 'Standard', true, 0, '[]');
  insert into prices (id, model_id, pricing_tier_id, usage_type, price) values ('pr', 'm', 't', 'input', 0.0000025);
  insert into traces values ('t', 'p', 'old');
  insert into scores values ('s', 'p', 'API');
  insert into job_executions values ('j', 's');
`

/** The tables of the early releases, which had no migration 0004. Migration 0001 of these releases created the tables. */
export const formerSchema = `
  create table svc_migrations (name varchar(255) primary key, timestamp varchar(255) not null);
  create table svc_migrations_lock (id varchar(255) primary key, is_locked integer not null default 0);
  insert into svc_migrations_lock values ('migration_lock', 0);
  insert into svc_migrations values ('0001-keys', '2026-11-01T00:00:00.000Z');
  create table organizations (id text primary key, name text not null, created_at timestamptz not null default now());
  create table projects (id text primary key, org_id text not null references organizations (id) on delete cascade, name text not null,
    created_at timestamptz not null default now(), deleted_at timestamptz);
  create table api_keys (id text primary key, public_key text not null unique, hashed_secret_key text not null, fast_hashed_secret_key text unique,
    fast_hash_salt_id text, display_secret_key text not null, scope text not null, org_id text not null references organizations (id) on delete cascade,
    project_id text references projects (id) on delete cascade, note text, created_at timestamptz not null default now(), last_used_at timestamptz,
    expires_at timestamptz, revoked_at timestamptz, constraint api_keys_scope check (
      (scope = 'project' and project_id is not null) or (scope = 'organization' and project_id is null)));
  create index api_keys_org_id on api_keys (org_id);
  insert into organizations values ('o', 'Org');
  insert into projects (id, org_id, name) values ('p', 'o', 'Project');
`

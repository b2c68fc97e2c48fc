// Creates the tables for organizations, projects, and their keys. Tables that v3 created stay unchanged until migration 0004.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isThere } from './is-there.ts'

export const keys: Migration = {
  async up(db: Kysely<unknown>) {
    if (await isThere(db, 'api_keys')) return
    await db.schema
      .createTable('organizations')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .execute()

    await db.schema
      .createTable('projects')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('org_id', 'text', column => column.notNull().references('organizations.id').onDelete('cascade'))
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .addColumn('deleted_at', 'timestamptz')
      .execute()
    await db.schema.createIndex('projects_org_id').on('projects').column('org_id').execute()

    await db.schema
      .createTable('api_keys')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('public_key', 'text', column => column.notNull().unique())
      .addColumn('hashed_secret_key', 'text', column => column.notNull())
      .addColumn('fast_hashed_secret_key', 'text', column => column.unique())
      .addColumn('fast_hash_salt_id', 'text')
      .addColumn('display_secret_key', 'text', column => column.notNull())
      .addColumn('scope', 'text', column => column.notNull())
      .addColumn('org_id', 'text', column => column.notNull().references('organizations.id').onDelete('cascade'))
      .addColumn('project_id', 'text', column => column.references('projects.id').onDelete('cascade'))
      .addColumn('note', 'text')
      .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .addColumn('last_used_at', 'timestamptz')
      .addColumn('expires_at', 'timestamptz')
      .addColumn('revoked_at', 'timestamptz')
      .addCheckConstraint(
        'api_keys_scope',
        sql`(scope = 'project' and project_id is not null) or (scope = 'organization' and project_id is null)`,
      )
      .execute()
    await db.schema.createIndex('api_keys_project_id').on('api_keys').column('project_id').execute()
    await db.schema.createIndex('api_keys_org_id').on('api_keys').column('org_id').execute()
  },

  async down(db: Kysely<unknown>) {
    await db.schema.dropTable('api_keys').execute()
    await db.schema.dropTable('projects').execute()
    await db.schema.dropTable('organizations').execute()
  },
}

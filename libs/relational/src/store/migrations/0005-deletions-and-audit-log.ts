// Creates the tables for requested deletions and the audit log (contract §21.1). Tables that v3 created stay unchanged.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const deletionsAndAuditLog: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('pending_deletions')
      .ifNotExists()
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('project_id', 'text', column => column.notNull().references('projects.id').onDelete('cascade'))
      .addColumn('object', 'text', column => column.notNull())
      .addColumn('object_id', 'text', column => column.notNull())
      .addColumn('is_deleted', 'boolean', column => column.notNull().defaultTo(false))
      .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .addColumn('updated_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .execute()
    await db.schema
      .createIndex('pending_deletions_project_id_object_is_deleted_object_id_id_idx')
      .ifNotExists()
      .on('pending_deletions')
      .columns(['project_id', 'object', 'is_deleted', 'object_id', 'id'])
      .execute()

    // This table keeps the id of each deleted project, so that the id is never reused.
    await db.schema
      .createTable('deleted_projects')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('requested_at', 'timestamptz', column => column.notNull())
      .addColumn('deleted_at', 'timestamptz', column => column.notNull())
      .execute()

    await db.schema
      .createTable('audit_logs')
      .ifNotExists()
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .addColumn('updated_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .addColumn('type', 'text', column => column.notNull())
      .addColumn('api_key_id', 'text')
      .addColumn('user_id', 'text')
      .addColumn('org_id', 'text', column => column.notNull())
      .addColumn('user_org_role', 'text')
      .addColumn('project_id', 'text')
      .addColumn('user_project_role', 'text')
      .addColumn('resource_type', 'text', column => column.notNull())
      .addColumn('resource_id', 'text', column => column.notNull())
      .addColumn('action', 'text', column => column.notNull())
      .addColumn('before', 'text')
      .addColumn('after', 'text')
      .execute()
    await db.schema.createIndex('audit_logs_project_id_idx').ifNotExists().on('audit_logs').column('project_id').execute()
    await db.schema.createIndex('audit_logs_created_at_idx').ifNotExists().on('audit_logs').column('created_at').execute()
  },

  async down() {
    // In a v3 database, v3 needs these two tables, so they must not be dropped.
    throw new Error('The migration of deletions and the audit log cannot be reverted.')
  },
}

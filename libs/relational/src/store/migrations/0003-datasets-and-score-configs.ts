// Creates the tables for score configurations and datasets (contract §21.1). If v3 has already created one of these
// tables, this table stays unchanged.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const withTimes = <T extends string, C extends string>(table: CreateTableBuilder<T, C>) =>
  table
    .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))

const ofProject = (db: Kysely<unknown>, name: string) =>
  withTimes(
    db.schema
      .createTable(name)
      .ifNotExists()
      .addColumn('id', 'text', column => column.notNull()),
  ).addColumn('project_id', 'text', column => column.notNull().references('projects.id').onDelete('cascade'))

export const datasetsAndScoreConfigs: Migration = {
  async up(db: Kysely<unknown>) {
    await ofProject(db, 'score_configs')
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('data_type', 'text', column => column.notNull())
      .addColumn('is_archived', 'boolean', column => column.notNull().defaultTo(false))
      .addColumn('min_value', 'double precision')
      .addColumn('max_value', 'double precision')
      .addColumn('categories', 'jsonb')
      .addColumn('description', 'text')
      .addPrimaryKeyConstraint('score_configs_pkey', ['id'])
      .addUniqueConstraint('score_configs_id_project_id_key', ['id', 'project_id'])
      .execute()
    await db.schema.createIndex('score_configs_project_id_idx').ifNotExists().on('score_configs').column('project_id').execute()

    await ofProject(db, 'datasets')
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('description', 'text')
      .addColumn('metadata', 'jsonb')
      .addColumn('input_schema', 'json')
      .addColumn('expected_output_schema', 'json')
      .addPrimaryKeyConstraint('datasets_pkey', ['id', 'project_id'])
      .addUniqueConstraint('datasets_project_id_name_key', ['project_id', 'name'])
      .execute()

    await ofProject(db, 'dataset_items')
      .addColumn('status', 'text', column => column.notNull().defaultTo('ACTIVE'))
      .addColumn('input', 'jsonb')
      .addColumn('expected_output', 'jsonb')
      .addColumn('metadata', 'jsonb')
      .addColumn('source_trace_id', 'text')
      .addColumn('source_observation_id', 'text')
      .addColumn('dataset_id', 'text', column => column.notNull())
      .addColumn('valid_from', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
      .addColumn('valid_to', 'timestamptz')
      .addColumn('is_deleted', 'boolean', column => column.notNull().defaultTo(false))
      .addPrimaryKeyConstraint('dataset_items_pkey', ['id', 'project_id', 'valid_from'])
      .addForeignKeyConstraint(
        'dataset_items_dataset_id_project_id_fkey',
        ['dataset_id', 'project_id'],
        'datasets',
        ['id', 'project_id'],
        key => key.onDelete('cascade'),
      )
      .execute()
    await db.schema
      .createIndex('dataset_items_project_id_valid_to_idx')
      .ifNotExists()
      .on('dataset_items')
      .columns(['project_id', 'valid_to'])
      .execute()
    await db.schema.createIndex('dataset_items_dataset_id_idx').ifNotExists().on('dataset_items').column('dataset_id').execute()

    await ofProject(db, 'dataset_runs')
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('description', 'text')
      .addColumn('metadata', 'jsonb')
      .addColumn('dataset_id', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('dataset_runs_pkey', ['id', 'project_id'])
      .addUniqueConstraint('dataset_runs_dataset_id_project_id_name_key', ['dataset_id', 'project_id', 'name'])
      .addForeignKeyConstraint(
        'dataset_runs_dataset_id_project_id_fkey',
        ['dataset_id', 'project_id'],
        'datasets',
        ['id', 'project_id'],
        key => key.onDelete('cascade'),
      )
      .execute()
  },

  async down() {
    // A database of v3 contained these tables before this migration, so the migration cannot drop them.
    throw new Error('The migration of datasets and score configurations cannot be reverted.')
  },
}

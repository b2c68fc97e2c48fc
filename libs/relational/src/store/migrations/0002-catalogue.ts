// Creates the tables for models, their prices, and prompts. Tables that v3 created already have the required columns and stay unchanged.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isThere } from './is-there.ts'

const withTimes = <T extends string, C extends string>(table: CreateTableBuilder<T, C>) =>
  table
    .addColumn('created_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', column => column.notNull().defaultTo(sql`now()`))

export const catalogue: Migration = {
  async up(db: Kysely<unknown>) {
    if (await isThere(db, 'models')) return
    await withTimes(db.schema.createTable('models').addColumn('id', 'text', column => column.primaryKey()))
      .addColumn('project_id', 'text', column => column.references('projects.id').onDelete('cascade'))
      .addColumn('model_name', 'text', column => column.notNull())
      .addColumn('match_pattern', 'text', column => column.notNull())
      .addColumn('start_date', 'timestamptz')
      .addColumn('input_price', 'numeric')
      .addColumn('output_price', 'numeric')
      .addColumn('total_price', 'numeric')
      .addColumn('unit', 'text')
      .addColumn('tokenizer_id', 'text')
      .addColumn('tokenizer_config', 'json')
      .addUniqueConstraint('models_name', ['project_id', 'model_name', 'start_date', 'unit'])
      .execute()

    await withTimes(db.schema.createTable('pricing_tiers').addColumn('id', 'text', column => column.primaryKey()))
      .addColumn('model_id', 'text', column => column.notNull().references('models.id').onDelete('cascade'))
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('is_default', 'boolean', column => column.notNull().defaultTo(false))
      .addColumn('priority', 'integer', column => column.notNull())
      .addColumn('conditions', 'jsonb', column => column.notNull().defaultTo(sql`'[]'`))
      .addUniqueConstraint('pricing_tiers_priority', ['model_id', 'priority'])
      .addUniqueConstraint('pricing_tiers_name', ['model_id', 'name'])
      .execute()

    await withTimes(db.schema.createTable('prices').addColumn('id', 'text', column => column.primaryKey()))
      .addColumn('model_id', 'text', column => column.notNull().references('models.id').onDelete('cascade'))
      .addColumn('project_id', 'text', column => column.references('projects.id').onDelete('cascade'))
      .addColumn('pricing_tier_id', 'text', column => column.notNull().references('pricing_tiers.id').onDelete('cascade'))
      .addColumn('usage_type', 'text', column => column.notNull())
      .addColumn('price', 'numeric', column => column.notNull())
      .addUniqueConstraint('prices_usage_type', ['model_id', 'usage_type', 'pricing_tier_id'])
      .execute()
    await db.schema.createIndex('prices_pricing_tier_id').on('prices').column('pricing_tier_id').execute()

    await withTimes(db.schema.createTable('prompts').addColumn('id', 'text', column => column.primaryKey()))
      .addColumn('project_id', 'text', column => column.notNull().references('projects.id').onDelete('cascade'))
      .addColumn('created_by', 'text', column => column.notNull())
      .addColumn('prompt', 'json', column => column.notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('version', 'integer', column => column.notNull())
      .addColumn('type', 'text', column => column.notNull().defaultTo('text'))
      .addColumn('is_active', 'boolean')
      .addColumn('config', 'json', column => column.notNull().defaultTo(sql`'{}'`))
      .addColumn('tags', sql`text[]`, column => column.notNull().defaultTo(sql`'{}'`))
      .addColumn('labels', sql`text[]`, column => column.notNull().defaultTo(sql`'{}'`))
      .addColumn('commit_message', 'text')
      .addUniqueConstraint('prompts_version', ['project_id', 'name', 'version'])
      .execute()
    await db.schema.createIndex('prompts_tags').on('prompts').using('gin').column('tags').execute()
  },

  async down(db: Kysely<unknown>) {
    for (const table of ['prompts', 'prices', 'pricing_tiers', 'models']) await db.schema.dropTable(table).execute()
  },
}

// Creates indexes that find the dataset items made from a trace or an observation.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const sources = ['trace', 'observation']

export const datasetItemSources: Migration = {
  async up(db: Kysely<unknown>) {
    for (const source of sources) {
      const [index, column] = [sql.ref(`dataset_items_source_${source}_idx`), sql.ref(`source_${source}_id`)]
      await sql`create index if not exists ${index} on dataset_items (project_id, ${column}, created_at desc, id, valid_from)
        where valid_to is null and is_deleted = false and status = 'ACTIVE' and ${column} is not null`.execute(db)
    }
  },
  async down(db: Kysely<unknown>) {
    for (const source of sources) await sql`drop index if exists ${sql.ref(`dataset_items_source_${source}_idx`)}`.execute(db)
  },
}

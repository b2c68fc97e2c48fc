// Creates an index for pages of a dataset's items. With this index, reading a page in order takes the same time for any number of items.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const currentDatasetItems: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index if not exists dataset_items_current_idx on dataset_items (project_id, dataset_id, created_at desc, id, valid_from)
      where valid_to is null and is_deleted = false and status = 'ACTIVE'`.execute(db)
  },
  async down(db: Kysely<unknown>) {
    await sql`drop index if exists dataset_items_current_idx`.execute(db)
  },
}

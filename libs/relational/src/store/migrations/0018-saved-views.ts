// Creates the table for views of the observations table that users save under a name.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

export const savedViews: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'saved_views',
      columns: { ...projectColumns, name: 'text not null', search: 'text not null', created_by: 'text' },
      constraints: ['constraint saved_views_pkey primary key (id)', 'constraint saved_views_project_id_name_key unique (project_id, name)'],
    })
  },
  down: noWayBack,
}

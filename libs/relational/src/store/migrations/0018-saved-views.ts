// Creates the table of saved views. A saved view is a name for a state of the observations page in the web app.
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

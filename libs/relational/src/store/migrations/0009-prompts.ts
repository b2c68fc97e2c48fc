// Creates the tables for references between prompts, and for labels that only administrators can move (contract §21.1).
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

export const prompts: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'prompt_dependencies',
      columns: {
        ...projectColumns,
        parent_id: 'text not null references prompts (id) on delete cascade',
        child_name: 'text not null',
        child_label: 'text',
        child_version: 'integer',
      },
      constraints: ['constraint prompt_dependencies_pkey primary key (id)'],
      indexes: [
        'create index if not exists prompt_dependencies_project_id_parent_id_idx on prompt_dependencies (project_id, parent_id)',
        'create index if not exists prompt_dependencies_project_id_child_name_idx on prompt_dependencies (project_id, child_name)',
      ],
    })
    await ensureTable(db, {
      name: 'prompt_protected_labels',
      columns: { ...projectColumns, label: 'text not null' },
      constraints: [
        'constraint prompt_protected_labels_pkey primary key (id)',
        'constraint prompt_protected_labels_project_id_label_key unique (project_id, label)',
      ],
    })
  },
  down: noWayBack,
}

// Creates the table for comments on traces, observations, sessions, and prompts (contract §21.1).
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

export const comments: Migration = {
  up: db =>
    ensureTable(db, {
      name: 'comments',
      columns: {
        ...projectColumns,
        object_type: 'text not null',
        object_id: 'text not null',
        content: 'text not null',
        author_user_id: 'text',
        data_field: 'text',
        path: "text[] not null default '{}'",
        range_start: "integer[] not null default '{}'",
        range_end: "integer[] not null default '{}'",
      },
      constraints: ['constraint comments_pkey primary key (id)'],
      indexes: [
        'create index if not exists comments_project_id_object_type_object_id_idx on comments (project_id, object_type, object_id)',
      ],
    }),
  down: noWayBack,
}

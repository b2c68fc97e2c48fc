// Creates the table for sessions of v3 (contract §20.5).
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

export const traceSessions: Migration = {
  up: db =>
    ensureTable(db, {
      name: 'trace_sessions',
      columns: {
        ...projectColumns,
        bookmarked: 'boolean not null default false',
        public: 'boolean not null default false',
        environment: "text not null default 'default'",
      },
      constraints: ['constraint trace_sessions_pkey primary key (id, project_id)'],
      indexes: ['create index if not exists trace_sessions_project_id_created_at_idx on trace_sessions (project_id, created_at desc)'],
    }),
  down: noWayBack,
}

// Creates a table of requests that the gateways accepted or refused. For each project, key, outcome and reason, the table has only the last
// request and the number of requests.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack } from './tables.ts'

export const arrivals: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'arrivals',
      columns: {
        project_id: 'text not null references projects (id) on delete cascade',
        public_key: 'text not null',
        outcome: 'text not null',
        reason: 'text not null',
        message: 'text not null',
        status: 'integer not null',
        spans: 'integer not null',
        trace_id: 'text',
        received_at: 'timestamptz not null',
        logged_at: 'timestamptz',
        requests: 'bigint not null',
      },
      constraints: ['constraint arrivals_pkey primary key (project_id, public_key, outcome, reason)'],
    })
  },
  down: noWayBack,
}

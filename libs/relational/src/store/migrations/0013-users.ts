// Creates the tables for users, their memberships (which contain their roles), their sessions, and their sign-in links (contract §§19.2,
// 19.3). In a database of v3, the tables for users and memberships already exist.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack } from './tables.ts'

const times = { created_at: 'timestamptz not null default now()', updated_at: 'timestamptz not null default now()' }
const user = 'text not null references users (id) on delete cascade'

export const users: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'users',
      columns: {
        id: 'text not null',
        name: 'text',
        email: 'text',
        email_verified: 'timestamptz',
        password: 'text',
        image: 'text',
        ...times,
        feature_flags: "text[] default '{}'",
        admin: 'boolean not null default false',
      },
      constraints: ['constraint users_pkey primary key (id)'],
      indexes: ['create unique index if not exists users_email_key on users (email)'],
    })
    await ensureTable(db, {
      name: 'organization_memberships',
      columns: {
        id: 'text not null',
        org_id: 'text not null references organizations (id) on delete cascade',
        user_id: user,
        role: 'text not null',
        ...times,
      },
      constraints: ['constraint organization_memberships_pkey primary key (id)'],
      indexes: [
        'create unique index if not exists organization_memberships_org_id_user_id_key on organization_memberships (org_id, user_id)',
        'create index if not exists organization_memberships_user_id_idx on organization_memberships (user_id)',
      ],
    })
    await ensureTable(db, {
      name: 'project_memberships',
      columns: {
        project_id: 'text not null references projects (id) on delete cascade',
        user_id: user,
        ...times,
        org_membership_id: 'text not null references organization_memberships (id) on delete cascade',
        role: 'text not null',
      },
      constraints: ['constraint project_memberships_pkey primary key (project_id, user_id)'],
      indexes: [
        'create index if not exists project_memberships_user_id_idx on project_memberships (user_id)',
        'create index if not exists project_memberships_org_membership_id_idx on project_memberships (org_membership_id)',
      ],
    })
    // v3 needs no such table, because v3 keeps its sessions in the cookie.
    await ensureTable(db, {
      name: 'sign_in_sessions',
      columns: { token_hash: 'text not null', user_id: user, created_at: 'timestamptz not null', last_used_at: 'timestamptz not null' },
      constraints: ['constraint sign_in_sessions_pkey primary key (token_hash)'],
      indexes: ['create index if not exists sign_in_sessions_user_id_idx on sign_in_sessions (user_id)'],
    })
    await ensureTable(db, {
      name: 'one_time_links',
      columns: { token_hash: 'text not null', user_id: user, created_at: 'timestamptz not null', expires_at: 'timestamptz not null' },
      constraints: ['constraint one_time_links_pkey primary key (token_hash)'],
      indexes: ['create index if not exists one_time_links_user_id_idx on one_time_links (user_id)'],
    })
  },
  down: noWayBack,
}

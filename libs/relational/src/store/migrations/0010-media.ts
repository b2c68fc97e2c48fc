// Creates the tables for files that traces and observations refer to (contract §21.1).
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

const linked = {
  ...projectColumns,
  media_id: 'text not null',
  trace_id: 'text not null',
  field: 'text not null',
  origin: "text not null default 'UNKNOWN'",
}

const ofMedia = (table: string) =>
  `constraint ${table}_media_id_project_id_fkey foreign key (media_id, project_id) references media (id, project_id) on delete cascade`

export const media: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'media',
      columns: {
        ...projectColumns,
        sha_256_hash: 'char(44) not null',
        uploaded_at: 'timestamptz',
        upload_http_status: 'integer',
        upload_http_error: 'text',
        bucket_path: 'text not null',
        bucket_name: 'text not null',
        content_type: 'text not null',
        content_length: 'bigint not null',
      },
      constraints: [
        'constraint media_project_id_id_key unique (project_id, id)',
        'constraint media_project_id_sha_256_hash_key unique (project_id, sha_256_hash)',
      ],
    })
    await ensureTable(db, {
      name: 'trace_media',
      columns: linked,
      constraints: [
        'constraint trace_media_pkey primary key (id)',
        'constraint trace_media_project_id_trace_id_media_id_field_key unique (project_id, trace_id, media_id, field)',
        ofMedia('trace_media'),
      ],
      indexes: ['create index if not exists trace_media_project_id_media_id_idx on trace_media (project_id, media_id)'],
    })
    await ensureTable(db, {
      name: 'observation_media',
      columns: { ...linked, observation_id: 'text not null' },
      constraints: [
        'constraint observation_media_pkey primary key (id)',
        // In v3's database, the constraint has this name, because PostgreSQL truncates names to 63 bytes.
        'constraint observation_media_project_id_trace_id_observation_id_media__key unique (project_id, trace_id, observation_id, media_id, field)',
        ofMedia('observation_media'),
      ],
      indexes: ['create index if not exists observation_media_project_id_media_id_idx on observation_media (project_id, media_id)'],
    })
  },
  down: noWayBack,
}

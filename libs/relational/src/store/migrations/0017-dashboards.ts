// Creates the tables for dashboards and their widgets, exports to buckets, and skills (contract §21.1). The rows of v3's managed dashboards
// have no project.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

/** v3 neither writes nor reads rows with these values. */
const enumValues = [
  ['DashboardWidgetViews', 'SCORES_BOOLEAN'],
  ['DashboardWidgetChartType', 'AREA_TIME_SERIES'],
  ['DashboardWidgetChartType', 'PIVOT_TABLE'],
  ['DashboardWidgetChartType', 'HISTOGRAM'],
  ['BlobStorageIntegrationType', 'GOOGLE_CLOUD_STORAGE'],
  ['BlobStorageIntegrationFileType', 'PARQUET'],
] as const

async function addEnumValues(db: Kysely<unknown>): Promise<void> {
  for (const [type, value] of enumValues) {
    const { rows } = await sql<{ there: boolean }>`select to_regtype(${`"${type}"`}) is not null as there`.execute(db)
    if (rows[0]?.there === true) await sql.raw(`alter type "${type}" add value if not exists '${value}'`).execute(db)
  }
}

const shared = {
  ...projectColumns,
  project_id: 'text references projects (id) on delete cascade',
  created_by: 'text',
  updated_by: 'text',
  name: 'text not null',
  description: "text not null default ''",
}

export const dashboards: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'dashboards',
      columns: { ...shared, definition: 'jsonb not null', filters: "jsonb not null default '[]'" },
      constraints: ['constraint dashboards_pkey primary key (id)'],
    })
    await ensureTable(db, {
      name: 'dashboard_widgets',
      columns: {
        ...shared,
        view: 'text not null',
        dimensions: 'jsonb not null',
        metrics: 'jsonb not null',
        filters: 'jsonb not null',
        chart_type: 'text not null',
        chart_config: 'jsonb not null',
        min_version: 'integer not null default 1',
      },
      constraints: ['constraint dashboard_widgets_pkey primary key (id)'],
    })
    const groups = "'{core,basic,time,io,metadata,model,usage,prompt,metrics,tools,trace_context}'"
    const { created_at, updated_at } = projectColumns
    await ensureTable(db, {
      name: 'blob_storage_integrations',
      columns: {
        project_id: 'text not null references projects (id) on delete cascade',
        type: 'text not null',
        bucket_name: 'text not null',
        prefix: 'text not null',
        access_key_id: 'text',
        secret_access_key: 'text',
        region: 'text not null',
        endpoint: 'text',
        force_path_style: 'boolean not null',
        next_sync_at: 'timestamptz',
        last_sync_at: 'timestamptz',
        enabled: 'boolean not null',
        export_frequency: 'text not null',
        ...{ created_at, updated_at },
        file_type: "text not null default 'CSV'",
        export_mode: "text not null default 'FULL_HISTORY'",
        export_start_date: 'timestamptz',
        export_source: "text not null default 'TRACES_OBSERVATIONS'",
        export_field_groups: `text[] not null default ${groups}`,
        compressed: 'boolean not null default true',
        export_tuning: 'jsonb',
        run_started_at: 'timestamptz',
        last_error: 'text',
        last_error_at: 'timestamptz',
        last_failure_notification_sent_at: 'timestamptz',
      },
      constraints: ['constraint blob_storage_integrations_pkey primary key (project_id)'],
    })
    await ensureTable(db, {
      name: 'skills',
      columns: { ...projectColumns, name: 'text not null', tags: "text[] not null default '{}'" },
      constraints: ['constraint skills_pkey primary key (id)', 'constraint skills_project_id_name_key unique (project_id, name)'],
    })
    await ensureTable(db, {
      name: 'skill_versions',
      columns: {
        ...projectColumns,
        skill_id: 'text not null references skills (id) on delete cascade',
        version: 'integer not null',
        description: 'text not null',
        frontmatter: 'jsonb not null',
        labels: "text[] not null default '{}'",
        commit_message: 'text',
        created_by: 'text not null',
      },
      constraints: [
        'constraint skill_versions_pkey primary key (id)',
        'constraint skill_versions_skill_id_version_key unique (skill_id, version)',
      ],
    })
    await ensureTable(db, {
      name: 'skill_blobs',
      columns: {
        ...projectColumns,
        sha256_hash: 'char(44) not null',
        content_type: 'text not null',
        content_length: 'integer not null',
        content: 'text not null',
      },
      constraints: [
        'constraint skill_blobs_pkey primary key (id)',
        'constraint skill_blobs_project_id_sha256_hash_key unique (project_id, sha256_hash)',
      ],
    })
    await ensureTable(db, {
      name: 'skill_files',
      columns: {
        ...projectColumns,
        skill_version_id: 'text not null references skill_versions (id) on delete cascade',
        path: 'text not null',
        blob_id: 'text not null references skill_blobs (id)',
      },
      constraints: [
        'constraint skill_files_pkey primary key (id)',
        'constraint skill_files_skill_version_id_path_key unique (skill_version_id, path)',
      ],
      indexes: ['create index if not exists skill_files_blob_id_idx on skill_files (blob_id)'],
    })
    await addEnumValues(db)
  },
  down: noWayBack,
}

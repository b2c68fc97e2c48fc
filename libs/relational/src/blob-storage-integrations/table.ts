// A row configures a project's export to a blob store. A project has at most one export.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  blob_storage_integrations: columns({
    project_id: 'text',
    type: 'text',
    bucket_name: 'text',
    prefix: 'text',
    access_key_id: 'text?',
    /** Encrypted. */
    secret_access_key: 'text?',
    region: 'text',
    endpoint: 'text?',
    force_path_style: 'boolean',
    next_sync_at: 'time?',
    last_sync_at: 'time?',
    enabled: 'boolean',
    export_frequency: 'text',
    created_at: 'time=',
    updated_at: 'time',
    file_type: 'text=',
    export_mode: 'text=',
    export_start_date: 'time?',
    export_source: 'text=',
    export_field_groups: 'texts=',
    compressed: 'boolean=',
    export_tuning: 'json?',
    run_started_at: 'time?',
    last_error: 'text?',
    last_error_at: 'time?',
    last_failure_notification_sent_at: 'time?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

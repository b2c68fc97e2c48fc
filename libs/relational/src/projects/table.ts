import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  projects: columns({
    id: 'text',
    org_id: 'text',
    name: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    deleted_at: 'time?',
    /** Number of days that rows are kept; null and 0 mean forever. */
    retention_days: 'integer?',
    has_traces: 'boolean=',
    metadata: 'json?',
  }),
  deleted_projects: columns({
    id: 'text',
    requested_at: 'time',
    deleted_at: 'time',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

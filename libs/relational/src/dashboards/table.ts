// Rows without a project belong to v3's managed dashboards.
import { columns, type Tables } from '../tenancy/columns.ts'

const shared = {
  id: 'text',
  created_at: 'time=',
  updated_at: 'time',
  project_id: 'text?',
  created_by: 'text?',
  updated_by: 'text?',
  name: 'text',
  description: 'text=',
} as const

export const tables = {
  dashboards: columns({ ...shared, definition: 'json', filters: 'json=' }),
  dashboard_widgets: columns({
    ...shared,
    /** In v3, the column is an enum of OBSERVATIONS, SCORES_NUMERIC, … */
    view: 'text',
    dimensions: 'json',
    metrics: 'json',
    filters: 'json',
    chart_type: 'text',
    chart_config: 'json',
    min_version: 'integer=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

// v3's columns `id` and `updated_at` have no default, so an insert must set both.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  audit_logs: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    /** In v3, the column is an enum of USER and API_KEY. */
    type: 'text',
    api_key_id: 'text?',
    user_id: 'text?',
    org_id: 'text',
    user_org_role: 'text?',
    project_id: 'text?',
    user_project_role: 'text?',
    resource_type: 'text',
    resource_id: 'text',
    action: 'text',
    /** JSON text, like `after`. */
    before: 'text?',
    after: 'text?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

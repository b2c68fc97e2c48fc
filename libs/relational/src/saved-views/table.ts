import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  saved_views: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    name: 'text',
    search: 'text',
    created_by: 'text?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

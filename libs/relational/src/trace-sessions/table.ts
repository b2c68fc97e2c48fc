import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  trace_sessions: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text',
    bookmarked: 'boolean=',
    public: 'boolean=',
    environment: 'text=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

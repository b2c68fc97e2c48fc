import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  dataset_runs: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    name: 'text',
    description: 'text?',
    metadata: 'json?',
    dataset_id: 'text',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  background_migrations: columns({
    id: 'text',
    name: 'text',
    script: 'text',
    args: 'json',
    state: 'json=',
    finished_at: 'time?',
    failed_at: 'time?',
    failed_reason: 'text?',
    worker_id: 'text?',
    locked_at: 'time?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

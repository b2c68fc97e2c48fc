// Prompts: one row a version.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  prompts: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    created_by: 'text',
    prompt: 'json',
    name: 'text',
    version: 'integer',
    type: 'text=',
    /** Older servers marked the version in production with it. */
    is_active: 'boolean?',
    config: 'json=',
    tags: 'texts=',
    labels: 'texts=',
    commit_message: 'text?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

// A configuration contains requirements for the scores that refer to it.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  score_configs: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    name: 'text',
    /** NUMERIC, BOOLEAN, CATEGORICAL, or TEXT. */
    data_type: 'text',
    is_archived: 'boolean=',
    min_value: 'number?',
    max_value: 'number?',
    categories: 'json?',
    description: 'text?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

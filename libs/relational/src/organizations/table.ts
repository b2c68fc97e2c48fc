import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  organizations: columns({
    id: 'text',
    name: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    cloud_config: 'json?',
    metadata: 'json?',
    ai_features_enabled: 'boolean=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

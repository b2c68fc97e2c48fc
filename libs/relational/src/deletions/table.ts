// v3's columns `id` and `updated_at` have no default, so an insert must set both.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  pending_deletions: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text',
    object: 'text',
    object_id: 'text',
    /** True if no data of the object is stored any longer. */
    is_deleted: 'boolean=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

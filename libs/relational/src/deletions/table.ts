// Requested deletions. v3's columns have no default for `id` and `updated_at`, so an insert names both.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  pending_deletions: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text',
    /** The kind of object that `object_id` identifies. */
    object: 'text',
    object_id: 'text',
    /** True when none of the object's data is stored any more. A trace's row stays, because it denies data that arrives late. */
    is_deleted: 'boolean=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

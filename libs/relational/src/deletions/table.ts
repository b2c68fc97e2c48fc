// Table of requested deletions. v3's columns `id` and `updated_at` have no default, so an insert must set both.
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
    /** True if no data of the object is stored any longer. A trace's row is kept after the deletion and denies data that arrives late. */
    is_deleted: 'boolean=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

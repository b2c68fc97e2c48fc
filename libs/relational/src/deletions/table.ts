// What was asked to be deleted. v3's columns have no default for `id` and `updated_at`: an insert names both.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  pending_deletions: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time',
    project_id: 'text',
    /** What `object_id` is an id of. */
    object: 'text',
    object_id: 'text',
    /** True: nothing of it is stored any more. A trace's row stays, because what arrives late is denied by it. */
    is_deleted: 'boolean=',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

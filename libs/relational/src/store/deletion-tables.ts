// Deletions and the audit log as TypeScript sees them. v3's columns have no default for `id` and `updated_at`: an
// insert names both.
import type { ColumnType, Generated } from 'kysely'

interface Times {
  readonly created_at: Generated<Date>
  readonly updated_at: Date
}

export interface PendingDeletionsTable extends Times {
  readonly id: string
  readonly project_id: string
  /** What `object_id` is an id of. */
  readonly object: string
  readonly object_id: string
  /** True: nothing of it is stored any more. A trace's row stays, because what comes late is denied by it. */
  readonly is_deleted: Generated<boolean>
}

/** Ids of projects of which nothing is left: they are never used again. */
export interface DeletedProjectsTable {
  readonly id: string
  readonly requested_at: Date
  readonly deleted_at: Date
}

export interface AuditLogsTable extends Times {
  readonly id: string
  /** v3 has an enum of USER and API_KEY. */
  readonly type: ColumnType<string, 'USER' | 'API_KEY', never>
  readonly api_key_id: string | null
  readonly user_id: string | null
  readonly org_id: string
  readonly user_org_role: string | null
  readonly project_id: string | null
  readonly user_project_role: string | null
  readonly resource_type: string
  readonly resource_id: string
  readonly action: string
  /** JSON text. */
  readonly before: string | null
  readonly after: string | null
}

// Audit entries. They are written in the transaction of the change, so that there is never a change without its entry or an entry without
// its change.
import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Database } from '../store/database.ts'

/** A key of the public API, a user of the web app, or an operator with direct access to the stores. */
export type Actor = { readonly apiKeyId: string } | { readonly userId: string } | 'operator'

/** The author and time of a change, for its audit entry; `at` also sets the times of its rows. */
export interface Author {
  readonly actor: Actor
  readonly at: Date
}

/** The user who makes the change; null for a key or an operator. */
export const userOf = ({ actor }: Author): string | null => (actor !== 'operator' && 'userId' in actor ? actor.userId : null)

export interface AuditEntry {
  /** v3's resource types: trace, project, scoreConfig, model … */
  readonly resourceType: string
  readonly resourceId: string
  readonly action: 'create' | 'update' | 'delete'
  /** JSON-serializable state; absent when the resource did not or will not exist. */
  readonly before?: unknown
  readonly after?: unknown
}

export interface AuditedTenant {
  readonly orgId: string
  readonly projectId: string | null
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

export const auditRow = (
  { actor, at }: Author,
  { orgId, projectId }: AuditedTenant,
  { resourceType, resourceId, action, before, after }: AuditEntry,
): Insertable<Database['audit_logs']> => ({
  id: randomUUID(),
  created_at: at,
  updated_at: at,
  type: actor !== 'operator' && 'apiKeyId' in actor ? 'API_KEY' : 'USER',
  api_key_id: actor !== 'operator' && 'apiKeyId' in actor ? actor.apiKeyId : null,
  user_id: actor === 'operator' ? actor : 'userId' in actor ? actor.userId : null,
  org_id: orgId,
  project_id: projectId,
  resource_type: resourceType,
  resource_id: resourceId,
  action,
  before: jsonOf(before),
  after: jsonOf(after),
})

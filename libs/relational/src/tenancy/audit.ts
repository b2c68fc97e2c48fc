// Who changed what: written in the transaction of the change, so that neither is without the other.
import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Database } from '../store/database.ts'

/** A key of the public API, a user of the web app, or an operator with the stores at hand. */
export type Actor = { readonly apiKeyId: string } | { readonly userId: string } | 'operator'

/** Who makes a change, and when: both stand in its audit entry, and `at` in the times of its rows. */
export interface Author {
  readonly actor: Actor
  readonly at: Date
}

/** The user who makes the change; null: a key or an operator does. */
export const userOf = ({ actor }: Author): string | null => (actor !== 'operator' && 'userId' in actor ? actor.userId : null)

export interface AuditEntry {
  /** v3's words: trace, project, scoreConfig, model … */
  readonly resourceType: string
  readonly resourceId: string
  readonly action: 'create' | 'update' | 'delete'
  /** What JSON can hold; absent: nothing was there, or will be. */
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

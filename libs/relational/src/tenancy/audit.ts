// An audit entry is written in the transaction of the change that the entry records.
import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Database } from '../store/database.ts'

/** A key of the public API, a user of the web app, or an operator with direct access to the stores. */
export type Actor = { readonly apiKeyId: string } | { readonly userId: string } | 'operator'

/** The author and the time of a change. Every row that the change writes gets this time. */
export interface Author {
  readonly actor: Actor
  readonly at: Date
}

/** Null if a key or an operator makes the change. */
export const userOf = ({ actor }: Author): string | null => (actor !== 'operator' && 'userId' in actor ? actor.userId : null)

export interface AuditEntry {
  /** A resource type of v3, such as `trace`, `project`, `scoreConfig` or `model`. */
  readonly resourceType: string
  readonly resourceId: string
  readonly action: 'create' | 'update' | 'delete'
  /** State of the resource before the change, convertible to JSON; absent if the resource did not exist. */
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

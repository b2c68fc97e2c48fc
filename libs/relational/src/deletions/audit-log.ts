// Who did what to which thing: written in the same transaction as what was done, so that neither is without the other.
import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../store/database.ts'

/** Who did it: a key of the public API, or an operator with the stores at hand. */
export type Actor = { readonly apiKeyId: string } | 'operator'

export interface AuditEntry {
  readonly actor: Actor
  readonly orgId: string
  readonly projectId: string | null
  /** v3's words: trace, project. */
  readonly resourceType: 'trace' | 'project'
  readonly resourceId: string
  readonly action: 'create' | 'update' | 'delete'
  /** What JSON can hold; absent: nothing was there, or will be. */
  readonly before?: unknown
  readonly after?: unknown
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

export async function writeAuditLog(db: Kysely<Database> | Transaction<Database>, entries: readonly AuditEntry[], at: Date): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ actor, orgId, projectId, resourceType, resourceId, action, before, after }) => ({
    id: randomUUID(),
    created_at: at,
    updated_at: at,
    type: actor === 'operator' ? ('USER' as const) : ('API_KEY' as const),
    api_key_id: actor === 'operator' ? null : actor.apiKeyId,
    user_id: actor === 'operator' ? 'operator' : null,
    org_id: orgId,
    user_org_role: null,
    project_id: projectId,
    user_project_role: null,
    resource_type: resourceType,
    resource_id: resourceId,
    action,
    before: jsonOf(before),
    after: jsonOf(after),
  }))
  await db.insertInto('audit_logs').values(rows).execute()
}

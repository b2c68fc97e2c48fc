// Who did what to which thing: written in the same transaction as what was done, so that neither is without the other.
import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../store/database.ts'
import type { RelationalStore } from '../store/store.ts'
import { classified } from '../store/store-errors.ts'
import { storedTraceId } from './object-id.ts'

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

export interface TraceUpdate {
  readonly projectId: string
  /** Well-formed text. */
  readonly traceId: string
  readonly actor: Actor
  readonly after: unknown
  readonly at: Date
}

/** Notes that somebody changed a trace. False: there is no such project. Throws `relational_unavailable`. */
export const noteTraceUpdate = (
  { db }: Pick<RelationalStore, 'db'>,
  { projectId, traceId, actor, after, at }: TraceUpdate,
): Promise<boolean> =>
  classified(async () => {
    const project = await db.selectFrom('projects').select('org_id').where('id', '=', projectId).executeTakeFirst()
    if (project === undefined) return false
    const { objectId: resourceId } = storedTraceId(traceId)
    const update = { actor, orgId: project.org_id, projectId, resourceType: 'trace', resourceId, action: 'update', after } as const
    await writeAuditLog(db, [update], at)
    return true
  })

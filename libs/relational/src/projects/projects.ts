// Projects as their organisation administers them (public-api-org.md §3.4): made and changed, with how long
// each keeps its rows.
import { randomUUID } from 'node:crypto'
import { parseStoredJson } from '@svc-server/json'
import type { Kysely, Transaction } from 'kysely'
import { type Actor, writeAuditLog } from '../deletions/audit-log.ts'
import type { Database } from '../store/database.ts'
import type { RelationalStore } from '../store/store.ts'
import { classified } from '../store/store-errors.ts'

export interface ProjectDetails {
  readonly id: string
  readonly orgId: string
  readonly orgName: string
  readonly name: string
  readonly metadata: unknown
  /** 0: rows are kept for ever. */
  readonly retentionDays: number
}

/** Absent: as it is. */
export interface ProjectChange {
  readonly name: string
  /** JSON that a jsonb can hold. */
  readonly metadata?: string
  readonly retentionDays?: number
}

type Refusal = { readonly refused: 'not_found' | 'name_taken' }
export type ProjectOutcome = ProjectDetails | Refusal

type Trx = Transaction<Database>

const columns = ['id', 'org_id', 'name', 'metadata', 'retention_days', 'deleted_at'] as const

interface Row {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly metadata: unknown
  readonly retention_days: number | null
}

const detailsOf = (row: Row, orgName: string): ProjectDetails => ({
  id: row.id,
  orgId: row.org_id,
  orgName,
  name: row.name,
  metadata: row.metadata,
  retentionDays: row.retention_days ?? 0,
})

const describe = ({ name, metadata, retentionDays }: ProjectDetails) => ({ name, metadata, retentionDays })

/** Of an organisation one at a time: no two projects that are made at once get one name. Undefined: there is no such organization. */
const lockOrganization = (trx: Trx, orgId: string) =>
  trx.selectFrom('organizations').select('name').where('id', '=', orgId).forUpdate().executeTakeFirst()

async function isTaken(trx: Trx, orgId: string, name: string): Promise<boolean> {
  const row = await trx
    .selectFrom('projects')
    .select('id')
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

const findIn = (trx: Trx | Kysely<Database>, orgId: string, projectId: string) =>
  trx.selectFrom('projects').select(columns).where('id', '=', projectId).where('org_id', '=', orgId).executeTakeFirst()

/** Projects that keep their rows for so many days only. Throws `relational_unavailable`. */
export const readRetentions = ({ db }: Pick<RelationalStore, 'db'>): Promise<readonly { projectId: string; retentionDays: number }[]> =>
  classified(async () => {
    const query = db.selectFrom('projects').select(['id', 'retention_days']).where('retention_days', '>', 0).where('deleted_at', 'is', null)
    return (await query.orderBy('id').execute()).map(row => ({ projectId: row.id, retentionDays: row.retention_days! }))
  })

export interface FormerRetention {
  readonly projectId: string
  readonly retentionDays: number
  readonly until: Date
}

/** What projects kept before they were changed, by the audit log, v3's entries too. Throws `relational_unavailable`. */
export const readFormerRetentions = ({ db }: Pick<RelationalStore, 'db'>, since: Date): Promise<readonly FormerRetention[]> =>
  classified(async () => {
    const changes = db.selectFrom('audit_logs').select(['project_id', 'before', 'created_at']).where('created_at', '>=', since)
    const rows = await changes.where('resource_type', '=', 'project').where('action', '=', 'update').execute()
    return rows.flatMap(({ project_id: projectId, before, created_at: until }) => {
      const { retentionDays } = objectIn(before)
      return projectId !== null && typeof retentionDays === 'number' && retentionDays > 0 ? [{ projectId, retentionDays, until }] : []
    })
  })

/** Empty for what is none. */
function objectIn(json: string | null): { readonly retentionDays?: unknown } {
  try {
    return Object(parseStoredJson(json ?? '{}')) as object
  } catch {
    return {}
  }
}

/** Of a project that nobody has by hand: its rows go after so many days. Throws `relational_unavailable`. */
export const keepFor = ({ db }: Pick<RelationalStore, 'db'>, projectId: string, days: number): Promise<void> =>
  classified(async () => {
    const query = db.updateTable('projects').set({ retention_days: days }).where('id', '=', projectId)
    await query.where(where => where.or([where('retention_days', 'is', null), where('retention_days', '!=', days)])).execute()
  })

/** The project of a key. Throws `relational_unavailable`. */
export const readProject = ({ db }: Pick<RelationalStore, 'db'>, projectId: string) =>
  classified(async () => {
    const row = await db
      .selectFrom('projects')
      .innerJoin('organizations', 'organizations.id', 'projects.org_id')
      .select(columns.map(column => `projects.${column}` as const))
      .select('organizations.name as orgName')
      .where('projects.id', '=', projectId)
      .where('projects.deleted_at', 'is', null)
      .executeTakeFirst()
    return row === undefined ? undefined : detailsOf(row, row.orgName)
  })

/** Throws `relational_unavailable`. */
export const createProject = (
  { db }: Pick<RelationalStore, 'db'>,
  { orgId, actor, at }: { readonly orgId: string; readonly actor: Actor; readonly at: Date },
  { name, metadata = null, retentionDays = 0 }: Omit<ProjectChange, 'metadata'> & { readonly metadata?: string | null },
): Promise<ProjectOutcome> =>
  classified(() =>
    db.transaction().execute(async trx => {
      const organization = await lockOrganization(trx, orgId)
      if (organization === undefined) return { refused: 'not_found' }
      if (await isTaken(trx, orgId, name)) return { refused: 'name_taken' }
      const row = await trx
        .insertInto('projects')
        .values({ id: randomUUID(), org_id: orgId, name, metadata, retention_days: retentionDays, created_at: at, updated_at: at })
        .returning(columns)
        .executeTakeFirstOrThrow()
      const made = detailsOf(row, organization.name)
      const resource = { resourceType: 'project', resourceId: made.id, projectId: made.id } as const
      await writeAuditLog(trx, [{ actor, orgId, ...resource, action: 'create', after: describe(made) }], at)
      return made
    }),
  )

/** A name that stays may be another project's, too: v3 let two have one. Throws `relational_unavailable`. */
export const updateProject = (
  { db }: Pick<RelationalStore, 'db'>,
  { orgId, actor, at }: { readonly orgId: string; readonly actor: Actor; readonly at: Date },
  projectId: string,
  { name, metadata, retentionDays }: ProjectChange,
): Promise<ProjectOutcome> =>
  classified(() =>
    db.transaction().execute(async trx => {
      const organization = await lockOrganization(trx, orgId)
      const before = await findIn(trx, orgId, projectId)
      if (organization === undefined || before === undefined || before.deleted_at !== null) return { refused: 'not_found' }
      if (before.name !== name && (await isTaken(trx, orgId, name))) return { refused: 'name_taken' }
      const row = await trx
        .updateTable('projects')
        .set({
          name,
          updated_at: at,
          ...(metadata !== undefined && { metadata }),
          ...(retentionDays !== undefined && { retention_days: retentionDays }),
        })
        .where('id', '=', projectId)
        .returning(columns)
        .executeTakeFirstOrThrow()
      const changed = detailsOf(row, organization.name)
      const resource = { resourceType: 'project', resourceId: projectId, projectId } as const
      const states = { before: describe(detailsOf(before, organization.name)), after: describe(changed) }
      await writeAuditLog(trx, [{ actor, orgId, ...resource, action: 'update', ...states }], at)
      return changed
    }),
  )

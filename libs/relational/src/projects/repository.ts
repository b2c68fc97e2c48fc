// Projects and their retention (contract §19.4). The API, the command line, and the first start all create projects with this module.
import { randomUUID } from 'node:crypto'
import type { Author } from '../tenancy/audit.ts'
import type { InOrganization, InProject, Instance, InstanceRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { timesAt } from '../tenancy/times.ts'
import { wasDeleted } from './deletion.ts'
import { requireId } from './ids.ts'
import { type ListedProject, listedProject } from './listed.ts'

export interface ProjectDetails {
  readonly id: string
  readonly orgId: string
  readonly orgName: string
  readonly name: string
  readonly metadata: unknown
  /** Number of days that rows are kept; 0 keeps rows forever. */
  readonly retentionDays: number
  readonly createdAt: Date
}

export interface NewProject {
  readonly orgId: string
  /** Generated if absent. */
  readonly id?: string
  readonly name: string
  /** JSON text that a jsonb column accepts. */
  readonly metadata?: string | null
  readonly retentionDays?: number
}

/** Absent fields stay unchanged. */
export interface ProjectChange {
  readonly name: string
  /** JSON text that a jsonb column accepts. */
  readonly metadata?: string
  readonly retentionDays?: number
}

/** `id_deleted`: the id belonged to a deleted project and is never reused. */
export type ProjectRefusal = 'not_found' | 'name_taken' | 'id_taken' | 'id_deleted'
interface Refused<Reason extends ProjectRefusal> {
  readonly refused: Reason
}
export type ProjectOutcome = ProjectDetails | Refused<'not_found' | 'name_taken'>
export type CreationOutcome = ProjectDetails | Refused<ProjectRefusal>

const columns = [
  'projects.id',
  'projects.org_id',
  'projects.name',
  'projects.metadata',
  'projects.retention_days',
  'projects.created_at',
] as const

interface Row {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly metadata: unknown
  readonly retention_days: number | null
  readonly created_at: Date
}

const detailsOf = (row: Row, orgName: string): ProjectDetails => ({
  id: row.id,
  orgId: row.org_id,
  orgName,
  name: row.name,
  metadata: row.metadata,
  retentionDays: row.retention_days ?? 0,
  createdAt: row.created_at,
})

const audited = ({ name, metadata, retentionDays }: ProjectDetails) => ({ name, metadata, retentionDays })
const entryOf = (projectId: string) => ({ resourceType: 'project', resourceId: projectId, projectId })

/** Locks the organization's row, so that concurrent requests cannot use a name twice: names have no unique index (ADR 0043). */
const lockedName = (organizations: Pick<InstanceRows, 'select'>, orgId: string) =>
  organizations.select('organizations').select('name').where('id', '=', orgId).forUpdate().executeTakeFirst()

async function refusalOf(rows: Pick<InstanceRows, 'select'>, id: string): Promise<'id_taken' | 'id_deleted' | undefined> {
  const row = await rows.select('projects').select('deleted_at').where('id', '=', id).executeTakeFirst()
  if (row !== undefined) return row.deleted_at === null ? 'id_taken' : 'id_deleted'
  return (await wasDeleted(rows, id)) ? 'id_deleted' : undefined
}

/** Throws `bad_request` for a malformed id. Throws `relational_unavailable` if the store does not respond. */
export function createProject(
  all: Instance,
  by: Author,
  { orgId, id = randomUUID(), name, metadata = null, retentionDays = 0 }: NewProject,
): Promise<CreationOutcome> {
  requireId('a project', id)
  const create: Parameters<typeof all.write<CreationOutcome>>[1] = async rows => {
    const refused = (reason: ProjectRefusal) => ({ value: { refused: reason }, audit: [] })
    const organization = await lockedName(rows, orgId)
    if (organization === undefined) return refused('not_found')
    const refusal = await refusalOf(rows, id)
    if (refusal !== undefined) return refused(refusal)
    const named = rows.select('projects').select('id').where('org_id', '=', orgId).where('name', '=', name)
    if ((await named.where('deleted_at', 'is', null).executeTakeFirst()) !== undefined) return refused('name_taken')
    const row = await rows
      .insert('projects', { id, org_id: orgId, name, metadata, retention_days: retentionDays, ...timesAt(by.at) })
      .returning(columns)
      .executeTakeFirstOrThrow()
    const value = detailsOf(row, organization.name)
    return { value, audit: [{ ...entryOf(id), orgId, action: 'create', after: audited(value) }] }
  }
  return all.inTurn(orgId, () => all.write<CreationOutcome>(by, create))
}

/**
 * If the name changes, checks that the new name is free. An unchanged name is not checked, because v3 allowed two projects with the same
 * name. Throws `relational_unavailable`.
 */
export const updateProject = (
  organization: InOrganization,
  by: Author,
  projectId: string,
  { name, metadata, retentionDays }: ProjectChange,
): Promise<ProjectOutcome> =>
  organization.inTurn(() =>
    organization.write<ProjectOutcome>(by, async rows => {
      const refused = (reason: 'not_found' | 'name_taken') => ({ value: { refused: reason }, audit: [] })
      const locked = await rows.select('organizations').select('name').forUpdate().executeTakeFirst()
      const before = await rows.find('projects', projectId)
      if (locked === undefined || before === undefined || before.deleted_at !== null) return refused('not_found')
      const named = rows.select('projects').select('id').where('name', '=', name).where('deleted_at', 'is', null)
      if (before.name !== name && (await named.executeTakeFirst()) !== undefined) return refused('name_taken')
      const row = await rows
        .update('projects')
        .set({
          name,
          updated_at: by.at,
          ...(metadata !== undefined && { metadata }),
          ...(retentionDays !== undefined && { retention_days: retentionDays }),
        })
        .where('id', '=', projectId)
        .returning(columns)
        .executeTakeFirstOrThrow()
      const value = detailsOf(row, locked.name)
      const states = { before: audited(detailsOf(before, locked.name)), after: audited(value) }
      return { value, audit: [{ ...entryOf(projectId), action: 'update', ...states }] }
    }),
  )

/** Returns undefined for a deleted project. Throws `relational_unavailable`. */
export async function readProject(all: Instance, projectId: string): Promise<ProjectDetails | undefined> {
  if (!canBeId(projectId)) return undefined
  const row = await all
    .select('projects')
    .innerJoin('organizations', 'organizations.id', 'projects.org_id')
    .select(columns)
    .select('organizations.name as orgName')
    .where('projects.id', '=', projectId)
    .where('projects.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && detailsOf(row, row.orgName)
}

/** Oldest first, without deleted projects. */
export async function listProjects(all: Instance): Promise<readonly Pick<ProjectDetails, 'id' | 'orgId' | 'name' | 'createdAt'>[]> {
  const query = all.select('projects').select(['id', 'org_id', 'name', 'created_at']).where('deleted_at', 'is', null)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.map(row => ({ id: row.id, orgId: row.org_id, name: row.name, createdAt: row.created_at }))
}

/** Oldest first, without deleted projects. */
export async function projectsOf(organization: InOrganization): Promise<readonly ListedProject[]> {
  const query = organization
    .select('projects')
    .select(['id', 'name', 'metadata', 'created_at', 'updated_at'])
    .where('deleted_at', 'is', null)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.map(listedProject)
}

/** Sets a project's retention without an audit entry, for projects that no user administers. Throws `relational_unavailable`. */
export const keepFor = (project: InProject, days: number): Promise<void> =>
  project.unaudited(async rows => {
    const query = rows.update('projects').set({ retention_days: days })
    await query.where(where => where.or([where('retention_days', 'is', null), where('retention_days', '!=', days)])).execute()
  })

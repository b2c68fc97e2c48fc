import { randomUUID } from 'node:crypto'
import { type ListedProject, listedProject } from '../projects/listed.ts'
import type { Author } from '../tenancy/audit.ts'
import type { Instance, InstanceRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { timesAt } from '../tenancy/times.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly metadata: unknown
  readonly createdAt: Date
}

export interface NewOrganization {
  /** Generated if absent. */
  readonly id?: string
  readonly name: string
  /** JSON text that a jsonb column accepts. */
  readonly metadata?: string
}

/** An organization with its projects. Deleted projects are left out. */
export interface OrganizationDetails extends Organization {
  readonly projects: readonly ListedProject[]
}

const columns = ['id', 'name', 'metadata', 'created_at'] as const

interface Row {
  readonly id: string
  readonly name: string
  readonly metadata: unknown
  readonly created_at: Date
}

const organizationOf = ({ created_at: createdAt, ...row }: Row): Organization => ({ ...row, createdAt })

const insert = (
  rows: InstanceRows,
  by: Author,
  { id = randomUUID(), name, metadata = null }: Omit<NewOrganization, 'metadata'> & { readonly metadata?: string | null },
) => rows.insert('organizations', { id, name, metadata, ...timesAt(by.at) })

const entryOf = (id: string, action: 'create' | 'update' | 'delete') =>
  ({ orgId: id, projectId: null, resourceType: 'organization', resourceId: id, action }) as const

/** Throws `conflict` if the id is taken. */
export const createOrganization = (all: Instance, by: Author, organization: NewOrganization): Promise<Organization> =>
  all.write(by, async rows => {
    const value = organizationOf(await insert(rows, by, organization).returning(columns).executeTakeFirstOrThrow())
    return { value, audit: [{ ...entryOf(value.id, 'create'), after: { name: value.name } }] }
  })

/** An existing organization with this id stays unchanged, even if its name differs. */
export const ensureOrganization = (
  all: Instance,
  by: Author,
  organization: { readonly id: string; readonly name: string },
): Promise<void> =>
  all.write(by, async rows => {
    const query = insert(rows, by, organization).onConflict(conflict => conflict.column('id').doNothing())
    const made = await query.returning('id').executeTakeFirst()
    return { value: undefined, audit: made === undefined ? [] : [{ ...entryOf(made.id, 'create'), after: { name: organization.name } }] }
  })

const projectsOf = (all: Instance) => all.select('projects').selectAll().where('deleted_at', 'is', null).orderBy('created_at').orderBy('id')

/** Oldest first. */
export async function listOrganizations(all: Instance): Promise<readonly OrganizationDetails[]> {
  const organizations = await all.select('organizations').select(columns).orderBy('created_at').orderBy('id').execute()
  const projects = await projectsOf(all).execute()
  const of = Map.groupBy(projects, project => project.org_id)
  return organizations.map(row => ({ ...organizationOf(row), projects: (of.get(row.id) ?? []).map(listedProject) }))
}

export async function readOrganization(all: Instance, id: string): Promise<OrganizationDetails | undefined> {
  const row = await all.find('organizations', id)
  if (row === undefined) return undefined
  const { name, metadata, created_at: createdAt } = row
  return { id, name, metadata, createdAt, projects: (await projectsOf(all).where('org_id', '=', id).execute()).map(listedProject) }
}

/** Omitted metadata stay unchanged. */
export const updateOrganization = (
  all: Instance,
  by: Author,
  id: string,
  { name, metadata }: Omit<NewOrganization, 'id'>,
): Promise<boolean> =>
  all.write<boolean>(by, async rows => {
    const before = await rows.find('organizations', id)
    if (before === undefined) return { value: false, audit: [] }
    const set = { name, updated_at: by.at, ...(metadata !== undefined && { metadata }) }
    const { metadata: stored } = await rows
      .update('organizations')
      .set(set)
      .where('id', '=', id)
      .returning('metadata')
      .executeTakeFirstOrThrow()
    const states = { before: { name: before.name, metadata: before.metadata }, after: { name, metadata: stored } }
    return { value: true, audit: [{ ...entryOf(id, 'update'), ...states }] }
  })

/** Returns `has_projects` if the organization has projects, including deleted projects whose data still exist. */
export const deleteOrganization = (all: Instance, by: Author, id: string): Promise<boolean | 'has_projects'> =>
  all.inTurn(id, () =>
    all.write<boolean | 'has_projects'>(by, async rows => {
      if (!canBeId(id)) return { value: false, audit: [] }
      // While this row is locked, no project can be created.
      const row = await rows.select('organizations').select('name').where('id', '=', id).forUpdate().executeTakeFirst()
      if (row === undefined) return { value: false, audit: [] }
      const project = await rows.select('projects').select('id').where('org_id', '=', id).executeTakeFirst()
      if (project !== undefined) return { value: 'has_projects', audit: [] }
      await rows.delete('organizations').where('id', '=', id).execute()
      return { value: true, audit: [{ ...entryOf(id, 'delete'), before: row }] }
    }),
  )

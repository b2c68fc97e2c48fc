// Permissions are read for each request of a session, so that removing a role takes effect immediately.
import type { Instance } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { type Role, roleInProject, roleOf } from './roles.ts'

export interface ProjectAccess {
  readonly orgId: string
  readonly role: Role
  readonly roleInOrganization: Role
}

/** Returns undefined without access. Throws `relational_unavailable`. */
export async function accessToProject(all: Instance, userId: string, projectId: string): Promise<ProjectAccess | undefined> {
  if (!canBeId(projectId)) return undefined
  const row = await all
    .select('projects')
    .innerJoin('organization_memberships as o', join => join.onRef('o.org_id', '=', 'projects.org_id').on('o.user_id', '=', userId))
    .leftJoin('project_memberships as p', join => join.onRef('p.project_id', '=', 'projects.id').on('p.user_id', '=', userId))
    .select(['projects.org_id as orgId', 'o.role as inOrganization', 'p.role as inProject'])
    .where('projects.id', '=', projectId)
    .where('projects.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const role = roleInProject(row.inOrganization, row.inProject)
  return role === 'NONE' ? undefined : { orgId: row.orgId, role, roleInOrganization: roleOf(row.inOrganization) }
}

/** Returns undefined if the user is not a member. Throws `relational_unavailable`. */
export async function roleInOrganization(all: Instance, userId: string, orgId: string): Promise<Role | undefined> {
  if (!canBeId(orgId)) return undefined
  const query = all.select('organization_memberships').select('role').where('org_id', '=', orgId).where('user_id', '=', userId)
  const row = await query.executeTakeFirst()
  return row && roleOf(row.role)
}

export interface OrganizationOfUser {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly projects: readonly { readonly id: string; readonly name: string; readonly role: Role; readonly retentionDays: number }[]
}

/** Lists the user's organizations, each with the projects that the user can see. Both are sorted by name. */
export async function organizationsOf(all: Instance, userId: string): Promise<readonly OrganizationOfUser[]> {
  const organizations = await all
    .select('organization_memberships')
    .innerJoin('organizations as o', 'o.id', 'organization_memberships.org_id')
    .select(['o.id as id', 'o.name as name', 'organization_memberships.role as role'])
    .where('organization_memberships.user_id', '=', userId)
    .orderBy('o.name')
    .orderBy('o.id')
    .execute()
  const projects = await all
    .select('projects')
    .innerJoin('organization_memberships as o', join => join.onRef('o.org_id', '=', 'projects.org_id').on('o.user_id', '=', userId))
    .leftJoin('project_memberships as p', join => join.onRef('p.project_id', '=', 'projects.id').on('p.user_id', '=', userId))
    .select(['projects.id as id', 'projects.name as name', 'projects.org_id as orgId', 'projects.retention_days as retentionDays'])
    .select(['o.role as inOrganization', 'p.role as inProject'])
    .where('projects.deleted_at', 'is', null)
    .orderBy('projects.name')
    .orderBy('projects.id')
    .execute()
  const seen = projects.map(({ inOrganization, inProject, retentionDays, ...project }) => ({
    ...project,
    retentionDays: retentionDays ?? 0,
    role: roleInProject(inOrganization, inProject),
  }))
  return organizations.map(({ id, name, role }) => ({
    ...{ id, name, role: roleOf(role) },
    projects: seen.filter(({ orgId, role }) => orgId === id && role !== 'NONE').map(({ orgId: _, ...project }) => project),
  }))
}

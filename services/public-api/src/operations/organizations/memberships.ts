// Members of an organization and of its projects (contract §19.3).
import * as organizations from '@svc-server/api/organizations/operations'
import { AppError } from '@svc-server/errors'
import {
  listMembers,
  listProjectMembers,
  type Member,
  putMember,
  putProjectMember,
  removeMember,
  removeProjectMember,
} from '@svc-server/relational/memberships'
import { isAtLeast, type Role } from '@svc-server/relational/roles'
import { instance } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Administrator } from '../../request/callers.ts'
import { handle, reply } from '../../request/handler.ts'
import { isOwnProject, requireOwn } from '../projects/keys.ts'

const viewOf = ({ userId, role, email, name }: Member) => ({ userId, role, email, name })

/** A person cannot grant a role above their own. An organization's key can grant every role. */
export function requireGrantable({ role: own }: Administrator, role: Role): void {
  if (own !== undefined && !isAtLeast(own, role)) throw new AppError('role_missing', `The role ${own} cannot grant the role ${role}.`)
}
/**
 * True if the caller must not remove the organization's last owner. A person must not remove the last owner, but an organization's key may.
 */
const keepOwner = ({ role }: Administrator) => role !== undefined

export const lastOwner = () => new AppError('last_owner', 'The user is the last owner of the organization.')

const getOrganizationMemberships = handle(organizations.getOrganizationMemberships, async ({ organization }, { relational }) =>
  reply(200, { memberships: (await listMembers(instance(relational), organization.orgId)).map(viewOf) }),
)

const updateOrganizationMembership = handle(organizations.updateOrganizationMembership, async ({ organization, body }, deps) => {
  const { userId, role } = body
  requireGrantable(organization, role)
  const change = { orgId: organization.orgId, userId, role, keepOwner: keepOwner(organization) }
  const put = await putMember(instance(deps.relational), authorOf(organization, deps), change)
  if (!('refused' in put)) return reply(200, viewOf(put))
  throw put.refused === 'last_owner' ? lastOwner() : new AppError('not_found', 'User not found')
})

const deleteOrganizationMembership = handle(
  organizations.deleteOrganizationMembership,
  async ({ organization, body: { userId } }, deps) => {
    const removal = { orgId: organization.orgId, userId, keepOwner: keepOwner(organization) }
    const removed = await removeMember(instance(deps.relational), authorOf(organization, deps), removal)
    if (removed === 'last_owner') throw lastOwner()
    return reply(200, { message: 'Membership deleted successfully', userId })
  },
)

const getProjectMemberships = handle(organizations.getProjectMemberships, async ({ organization, params: { projectId } }, deps) => {
  await requireOwn(organization, projectId, deps)
  return reply(200, { memberships: (await listProjectMembers(instance(deps.relational), projectId)).map(viewOf) })
})

const updateProjectMembership = handle(
  organizations.updateProjectMembership,
  async ({ organization, params: { projectId }, body }, deps) => {
    await requireOwn(organization, projectId, deps)
    const { userId, role } = body
    requireGrantable(organization, role)
    const change = { orgId: organization.orgId, projectId, userId, role }
    const put = await putProjectMember(instance(deps.relational), authorOf(organization, deps), change)
    if (put === undefined) throw new AppError('not_found', 'User is not a member of this organization')
    return reply(200, viewOf(put))
  },
)

const deleteProjectMembership = handle(
  organizations.deleteProjectMembership,
  async ({ organization, params: { projectId }, body: { userId } }, deps) => {
    // The response is the same whether the project does not exist or belongs to a different organization.
    if (!(await isOwnProject(organization, projectId, deps)))
      throw new AppError('organization_key_wanted', 'The project does not belong to this organization.')
    const removal = { orgId: organization.orgId, projectId, userId }
    const removed = await removeProjectMember(instance(deps.relational), authorOf(organization, deps), removal)
    if (!removed) throw new AppError('not_found', 'Project membership not found')
    return reply(200, { message: 'Project membership deleted successfully', userId })
  },
)

export const memberships = [
  ...[getOrganizationMemberships, updateOrganizationMembership, deleteOrganizationMembership],
  ...[getProjectMemberships, updateProjectMembership, deleteProjectMembership],
]

// Invitations and sign-in links of the web app (contract §22).
import * as members from '@svc-server/api/web-members/operations'
import { AppError } from '@svc-server/errors'
import { organizationsOf, roleInOrganization } from '@svc-server/relational/access'
import { createMember, putMember } from '@svc-server/relational/memberships'
import { isAtLeast } from '@svc-server/relational/roles'
import { createLink as newLink } from '@svc-server/relational/sign-in-links'
import { type Instance, instance } from '@svc-server/relational/tenancy'
import { findUserByEmail } from '@svc-server/relational/users'
import { authorOf } from '../../request/author.ts'
import type { Administrator } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { requireGrantable } from '../organizations/memberships.ts'

async function linkFor(userId: string, organization: Administrator, deps: Dependencies) {
  const { token, expiresAt } = await newLink(instance(deps.relational), userId, authorOf(organization, deps))
  return { token, expiresAt: expiresAt.toISOString() }
}

const invite = handle(members.invite, async ({ organization, body: { email, role, name } }, deps) => {
  requireGrantable(organization, role)
  const all = instance(deps.relational)
  const by = authorOf(organization, deps)
  const { orgId } = organization
  const made = await createMember(all, by, { orgId, email, role, ...(name !== undefined && { name }) })
  if (made !== undefined) return reply(201, { userId: made.id, email: made.email, role, link: await linkFor(made.id, organization, deps) })
  const known = await findUserByEmail(all, email)
  // The user was removed during this request.
  if (known === undefined) throw new AppError('conflict', `${email} was changed at the same time.`)
  if ((await roleInOrganization(all, known.id, orgId)) !== undefined) throw new AppError('conflict', `${known.email} is already a member.`)
  const put = await putMember(all, by, { orgId, userId: known.id, role, keepOwner: true })
  if ('refused' in put) throw new AppError('conflict', `${known.email} was changed at the same time.`)
  return reply(201, { userId: known.id, email: known.email, role, link: null })
})

/**
 * A sign-in link gives access to all organizations of its user. The person who creates the link must therefore be an administrator in each
 * of these organizations, and must have at least the user's role there.
 */
async function requireAbove(all: Instance, { actor }: Administrator, userId: string): Promise<void> {
  if (actor === 'operator' || !('userId' in actor) || actor.userId === userId) return
  const [own, theirs] = await Promise.all([organizationsOf(all, actor.userId), organizationsOf(all, userId)])
  const roles = new Map(own.map(({ id, role }) => [id, role]))
  const above = theirs.every(({ id, role }) => [role, 'ADMIN' as const].every(least => isAtLeast(roles.get(id) ?? 'NONE', least)))
  if (!above)
    throw new AppError(
      'role_missing',
      'Your role is too low in an organization of this member. To create a link, you need at least the role ADMIN, and at least the member’s own role, in each organization of the member.',
    )
}

const createLink = handle(members.createLink, async ({ organization, params: { userId } }, deps) => {
  const all = instance(deps.relational)
  if ((await roleInOrganization(all, userId, organization.orgId)) === undefined) throw new AppError('not_found', 'User not found')
  await requireAbove(all, organization, userId)
  return reply(201, await linkFor(userId, organization, deps))
})

export const webMembers = [invite, createLink]

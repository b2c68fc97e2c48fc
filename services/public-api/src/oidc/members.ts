// Maps a person of the identity provider to a user by email address. The person's groups determine the person's roles.
import { addMember, putMember, removeMember } from '@svc-server/relational/memberships'
import { isAtLeast, type Role } from '@svc-server/relational/roles'
import type { Instance } from '@svc-server/relational/tenancy'
import { findUserByEmail, type User } from '@svc-server/relational/users'
import type { Identity } from './provider.ts'
import type { GroupRole } from './settings.ts'

/**
 * Returns the highest role that the groups grant in each organization. If the groups grant no role in an organization, its role is
 * undefined.
 */
export function rolesByGroups(roles: readonly GroupRole[], groups: readonly string[]): ReadonlyMap<string, Role | undefined> {
  const found = new Map<string, Role | undefined>()
  for (const { group, orgId, role } of roles) {
    const known = found.get(orgId)
    const isBetter = groups.includes(group) && (known === undefined || isAtLeast(role, known))
    found.set(orgId, isBetter ? role : known)
  }
  return found
}

/**
 * Returns undefined if the person has no account and no invitation, and no group grants a role. The last owner of an organization remains
 * its owner, whatever the groups grant.
 */
export async function userOfIdentity(
  all: Instance,
  { email, name, groups }: Identity,
  roles: readonly GroupRole[],
  at: Date,
): Promise<User | undefined> {
  const by = { actor: 'operator', at } as const
  // Without a groups claim, memberships stay unchanged.
  const given = groups === undefined ? new Map<string, Role | undefined>() : rolesByGroups(roles, groups)
  for (const [orgId, role] of given) {
    if ((await all.find('organizations', orgId)) === undefined) continue
    const user = await findUserByEmail(all, email)
    if (user === undefined) {
      if (role !== undefined) await addMember(all, by, { orgId, role, email, name })
    } else if (role === undefined) await removeMember(all, by, { orgId, userId: user.id, keepOwner: true })
    else await putMember(all, by, { orgId, userId: user.id, role, keepOwner: true })
  }
  return findUserByEmail(all, email)
}

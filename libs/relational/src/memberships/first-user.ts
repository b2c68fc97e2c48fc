// Creates the first user, who becomes the owner of the organization. This function runs at every start. If the organization already has
// members, no user is created: the members could have removed the first user.
import { ensureOrganization } from '../organizations/repository.ts'
import type { Author } from '../tenancy/audit.ts'
import type { Instance } from '../tenancy/handles.ts'
import { hashPassword } from '../users/passwords.ts'
import { findUserByEmail, type User } from '../users/repository.ts'
import { ensureMember, listMembers } from './repository.ts'

export interface FirstUser {
  readonly orgId: string
  readonly email: string
  readonly name?: string
  /** Without a password, the user signs in with a link. */
  readonly password?: string
}

/**
 * Creates the user with this address if the organization has no members. Returns the user with this address. Throws `bad_request` for an
 * invalid password.
 */
export async function ensureFirstUser(all: Instance, by: Author, { orgId, email, name, password }: FirstUser): Promise<User | undefined> {
  if ((await listMembers(all, orgId)).length > 0) return findUserByEmail(all, email)
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  await ensureOrganization(all, by, { id: orgId, name: orgId })
  const given = {
    orgId,
    email,
    role: 'OWNER',
    ...(name !== undefined && { name }),
    ...(passwordHash !== undefined && { passwordHash }),
  } as const
  return (await ensureMember(all, by, given)).user
}

import { createMember } from '@svc-server/relational/memberships'
import { hashPassword } from '@svc-server/relational/passwords'
import type { Role } from '@svc-server/relational/roles'
import { startSession } from '@svc-server/relational/sign-in-sessions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import type { User } from '@svc-server/relational/users'

export const ownPage = { 'x-svc-ui': '1', 'sec-fetch-site': 'same-origin' }
export const password = 'correct horse battery'

const by = () => ({ actor: 'operator', at: new Date() }) as const

/** Adds a person with the constant `password` as the password. */
export async function addPerson(store: RelationalStore, email: string, role: Role, orgId = 'org'): Promise<User> {
  return (await createMember(instance(store), by(), { orgId, role, email, passwordHash: await hashPassword(password) }))!
}

/** Returns the headers that a browser sends after sign-in. */
export async function signedInAs(store: RelationalStore, { id }: User): Promise<Readonly<Record<string, string>>> {
  const { token } = await startSession(instance(store), id, new Date())
  return { ...ownPage, cookie: `svc-session=${token}` }
}

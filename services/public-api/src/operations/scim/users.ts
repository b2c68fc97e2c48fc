// Users as an identity provider sees them (contract §19.5). An active user is a member of the organization. If the membership is removed,
// the user still exists.
import * as scim from '@svc-server/api/scim/operations'
import { AppError } from '@svc-server/errors'
import { roleInOrganization } from '@svc-server/relational/access'
import { addMember, pageOfMembers, putMember, removeMember } from '@svc-server/relational/memberships'
import { type Role, roleOf } from '@svc-server/relational/roles'
import { instance } from '@svc-server/relational/tenancy'
import { findUser, type User } from '@svc-server/relational/users'
import { authorOf } from '../../request/author.ts'
import type { Administrator } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { lastOwner } from '../organizations/memberships.ts'
import { listUrn, userUrn } from './descriptions.ts'

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const most = 100

const listedOf = ({ id, email, name }: User) => ({
  schemas: [userUrn],
  id,
  userName: email,
  name: { formatted: name },
  emails: [{ primary: true, value: email, type: 'work' }],
  meta: { resourceType: 'User' },
})

const viewOf = (user: User) => ({
  ...listedOf(user),
  meta: { resourceType: 'User', created: user.createdAt.toISOString(), lastModified: user.updatedAt.toISOString() },
})

/** Throws `bad_request` for an unknown role. */
function roleIn(roles: readonly string[] | null | undefined): Role | undefined {
  const [first] = roles ?? []
  if (first === undefined) return undefined
  const role = roleOf(first)
  if (role !== first) throw new AppError('bad_request', `Invalid role ${first.slice(0, 100)}: give OWNER, ADMIN, MEMBER, VIEWER or NONE.`)
  return role
}

function requireSchema(schemas: readonly string[], urn: string): void {
  if (!schemas.includes(urn)) throw new AppError('bad_request', `The schemas of the body do not contain ${urn}.`)
}

async function requireUser(userId: string, { relational }: Dependencies): Promise<User> {
  const user = await findUser(instance(relational), userId)
  if (user === undefined) throw new AppError('not_found', 'User not found')
  return user
}

const byUserName = /^\s*(?:urn:ietf:params:scim:schemas:core:2\.0:User:)?userName\s+eq\s+"((?:[^"\\]|\\.)*)"\s*$/i
const escapes = /\\(?:u([0-9a-f]{4})|(["\\/]))/gi

/** Supports the filter `userName eq "x"`, with the escapes of JSON (RFC 7644 §3.4.2.2). Other filters are ignored. */
const emailIn = (filter: string | undefined): string | undefined =>
  byUserName
    .exec(filter ?? '')?.[1]
    ?.replace(escapes, (_, code?: string, mark?: string) => (code === undefined ? mark! : String.fromCharCode(Number.parseInt(code, 16))))

const listUsers = handle(scim.listUsers, async ({ organization, query }, { relational }) => {
  const { filter, startIndex: given = 1, count = most } = query
  const startIndex = Math.max(1, given)
  const email = emailIn(filter)
  const page = { offset: startIndex - 1, limit: Math.min(Math.max(0, count), most), ...(email !== undefined && { email }) }
  const { users, total } = await pageOfMembers(instance(relational), organization.orgId, page)
  const counts = { totalResults: total, startIndex, itemsPerPage: users.length }
  return reply(200, { schemas: [listUrn], ...counts, Resources: users.map(listedOf) })
})

const createUser = handle(scim.createUser, async ({ organization, body }, deps) => {
  const role = roleIn(body.roles) ?? 'NONE'
  const name = body.name?.formatted ?? body.displayName ?? null
  const given = { orgId: organization.orgId, role, email: body.userName, name }
  const made = await addMember(instance(deps.relational), authorOf(organization, deps), given)
  if (made === 'member') throw new AppError('conflict', 'User with this userName already exists')
  return reply(201, viewOf(made))
})

const getUser = handle(scim.getUser, async ({ organization, params: { userId } }, deps) => {
  const user = await requireUser(userId, deps)
  if ((await roleInOrganization(instance(deps.relational), user.id, organization.orgId)) === undefined)
    throw new AppError('not_found', 'User not found in organization')
  return reply(200, viewOf(user))
})

async function deactivate(organization: Administrator, { id }: User, deps: Dependencies): Promise<void> {
  const removal = { orgId: organization.orgId, userId: id, keepOwner: true }
  if ((await removeMember(instance(deps.relational), authorOf(organization, deps), removal)) === 'last_owner') throw lastOwner()
}

/** If the request has no role, a member keeps the current role, and a new member gets NONE. */
async function activate(organization: Administrator, { id }: User, given: Role | undefined, deps: Dependencies): Promise<void> {
  const all = instance(deps.relational)
  const role = given ?? (await roleInOrganization(all, id, organization.orgId)) ?? 'NONE'
  const change = { orgId: organization.orgId, userId: id, role, keepOwner: true }
  const put = await putMember(all, authorOf(organization, deps), change)
  if ('refused' in put) throw put.refused === 'last_owner' ? lastOwner() : new AppError('not_found', 'User not found')
}

const deleteUser = handle(scim.deleteUser, async ({ organization, params: { userId } }, deps) => {
  await deactivate(organization, await requireUser(userId, deps), deps)
  return reply(204, {})
})

const replaceUser = handle(scim.replaceUser, async ({ organization, params: { userId }, body: { schemas, active, roles } }, deps) => {
  const user = await requireUser(userId, deps)
  requireSchema(schemas, userUrn)
  const role = roleIn(roles)
  if (active === true) await activate(organization, user, role, deps)
  if (active === false) await deactivate(organization, user, deps)
  return reply(200, viewOf(user))
})

const patchUser = handle(scim.patchUser, async ({ organization, params: { userId }, body: { schemas, Operations } }, deps) => {
  const user = await requireUser(userId, deps)
  requireSchema(schemas, patchUrn)
  const other = Operations.find(({ op }) => op.toLowerCase() !== 'replace')
  if (other !== undefined)
    throw new AppError('bad_request', `The operation ${other.op.slice(0, 100)} is not supported. Only replace is supported.`)
  for (const { value } of Operations) {
    if (value.active) await activate(organization, user, undefined, deps)
    else await deactivate(organization, user, deps)
  }
  return reply(200, viewOf(user))
})

export const users = [listUsers, createUser, getUser, deleteUser, replaceUser, patchUser]

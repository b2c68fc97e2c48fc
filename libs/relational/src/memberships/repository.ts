// Members of an organization and members of its projects, with their roles (contract §19.3).
import { randomUUID } from 'node:crypto'
import type { AuditEntry, AuditedTenant, Author } from '../tenancy/audit.ts'
import type { Instance, InstanceRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { timesAt } from '../tenancy/times.ts'
import { emailOf, findUserByEmail, insertUser, type NewUser, type User, userOf } from '../users/repository.ts'
import { type Role, roleOf } from './roles.ts'

export interface Member {
  readonly userId: string
  readonly role: Role
  readonly email: string | null
  readonly name: string | null
}

interface MemberRow {
  readonly userId: string
  readonly role: string
  readonly email: string | null
  readonly name: string | null
}

const memberOf = ({ userId, role, email, name }: MemberRow): Member => ({ userId, role: roleOf(role), email, name })

type Entry = AuditEntry & AuditedTenant
const entryOf = (
  orgId: string,
  projectId: string | null,
  userId: string,
): Pick<Entry, 'orgId' | 'projectId' | 'resourceType' | 'resourceId'> => ({
  ...{ orgId, projectId, resourceId: userId },
  resourceType: projectId === null ? 'orgMembership' : 'projectMembership',
})

/** Runs changes one after the other: two concurrent requests could otherwise remove the last two owners. */
const inMembers = <T>(all: Instance, by: Author, orgId: string, work: Parameters<typeof all.write<T>>[1]): Promise<T> =>
  all.inTurn(orgId, () =>
    all.write<T>(by, async rows => {
      await rows.select('organizations').select('id').where('id', '=', orgId).forUpdate().executeTakeFirst()
      return work(rows)
    }),
  )

/** Oldest first. */
export async function listMembers(all: Instance, orgId: string): Promise<readonly Member[]> {
  const query = all
    .select('organization_memberships')
    .innerJoin('users', 'users.id', 'organization_memberships.user_id')
    .select([
      'organization_memberships.user_id as userId',
      'organization_memberships.role as role',
      'users.email as email',
      'users.name as name',
    ])
  return (
    await query
      .where('organization_memberships.org_id', '=', orgId)
      .orderBy('organization_memberships.created_at')
      .orderBy('organization_memberships.id')
      .execute()
  ).map(memberOf)
}

/** Lists the users who have a role in the project itself, oldest first. */
export async function listProjectMembers(all: Instance, projectId: string): Promise<readonly Member[]> {
  const query = all
    .select('project_memberships')
    .innerJoin('users', 'users.id', 'project_memberships.user_id')
    .select(['project_memberships.user_id as userId', 'project_memberships.role as role', 'users.email as email', 'users.name as name'])
  return (
    await query
      .where('project_memberships.project_id', '=', projectId)
      .orderBy('project_memberships.created_at')
      .orderBy('project_memberships.user_id')
      .execute()
  ).map(memberOf)
}

const membershipIn = (rows: Pick<InstanceRows, 'select'>, orgId: string, userId: string) =>
  rows
    .select('organization_memberships')
    .select(['id', 'role'])
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

async function isLastOwner(rows: Pick<InstanceRows, 'select'>, orgId: string, userId: string): Promise<boolean> {
  const owners = await rows
    .select('organization_memberships')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'OWNER')
    .execute()
  return owners.length === 1 && owners[0]!.user_id === userId
}

async function putRole(
  rows: InstanceRows,
  by: Author,
  { orgId, userId, role }: { readonly orgId: string; readonly userId: string; readonly role: Role },
): Promise<readonly Entry[]> {
  const before = await membershipIn(rows, orgId, userId)
  if (before?.role === role) return []
  if (before === undefined) {
    await rows.insert('organization_memberships', { id: randomUUID(), org_id: orgId, user_id: userId, role, ...timesAt(by.at) }).execute()
    return [{ ...entryOf(orgId, null, userId), action: 'create', after: { role } }]
  }
  await rows.update('organization_memberships').set({ role, updated_at: by.at }).where('id', '=', before.id).execute()
  return [{ ...entryOf(orgId, null, userId), action: 'update', before: { role: before.role }, after: { role } }]
}

/** `last_owner`: the change would leave the organization without an owner, and no member could then recover it. */
type MemberRefusal = 'no_user' | 'last_owner'
export type MemberOutcome = Member | { readonly refused: MemberRefusal }

export interface Kept {
  /** If true, a change that would leave the organization without an owner is rejected. */
  readonly keepOwner: boolean
}

export const putMember = (
  all: Instance,
  by: Author,
  { orgId, userId, role, keepOwner }: Kept & { readonly orgId: string; readonly userId: string; readonly role: Role },
): Promise<MemberOutcome> =>
  inMembers<MemberOutcome>(all, by, orgId, async rows => {
    const user = await rows.find('users', userId)
    if (user === undefined) return { value: { refused: 'no_user' }, audit: [] }
    if (keepOwner && role !== 'OWNER' && (await isLastOwner(rows, orgId, userId))) return { value: { refused: 'last_owner' }, audit: [] }
    const audit = await putRole(rows, by, { orgId, userId, role })
    return { value: { userId, role, email: user.email, name: user.name }, audit }
  })

/** Removes the member from the organization, with the member's roles in its projects. */
export const removeMember = (
  all: Instance,
  by: Author,
  { orgId, userId, keepOwner }: Kept & { readonly orgId: string; readonly userId: string },
): Promise<boolean | 'last_owner'> =>
  inMembers<boolean | 'last_owner'>(all, by, orgId, async rows => {
    const before = canBeId(userId) ? await membershipIn(rows, orgId, userId) : undefined
    if (before === undefined) return { value: false, audit: [] }
    if (keepOwner && (await isLastOwner(rows, orgId, userId))) return { value: 'last_owner', audit: [] }
    await rows.delete('organization_memberships').where('id', '=', before.id).execute()
    return { value: true, audit: [{ ...entryOf(orgId, null, userId), action: 'delete', before: { role: before.role } }] }
  })

interface ProjectMember {
  readonly orgId: string
  readonly projectId: string
  readonly userId: string
}

/** The project must belong to the organization. Returns undefined if the user is not a member. */
export const putProjectMember = (
  all: Instance,
  by: Author,
  { orgId, projectId, userId, role }: ProjectMember & { readonly role: Role },
): Promise<Member | undefined> =>
  inMembers<Member | undefined>(all, by, orgId, async rows => {
    const membership = canBeId(userId) ? await membershipIn(rows, orgId, userId) : undefined
    const user = membership && (await rows.find('users', userId))
    if (membership === undefined || user === undefined) return { value: undefined, audit: [] }
    const value: Member = { userId, role, email: user.email, name: user.name }
    const own = rows.select('project_memberships').select('role').where('project_id', '=', projectId).where('user_id', '=', userId)
    const before = await own.executeTakeFirst()
    if (before?.role === role) return { value, audit: [] }
    await rows
      .insert('project_memberships', {
        ...{ project_id: projectId, user_id: userId, org_membership_id: membership.id, role },
        ...timesAt(by.at),
      })
      .onConflict(conflict => conflict.columns(['project_id', 'user_id']).doUpdateSet({ role, updated_at: by.at }))
      .execute()
    const change = before === undefined ? ({ action: 'create' } as const) : ({ action: 'update', before } as const)
    return { value, audit: [{ ...entryOf(orgId, projectId, userId), ...change, after: { role } }] }
  })

export const removeProjectMember = (all: Instance, by: Author, { orgId, projectId, userId }: ProjectMember): Promise<boolean> =>
  all.write<boolean>(by, async rows => {
    if (!canBeId(userId)) return { value: false, audit: [] }
    const removed = await rows
      .delete('project_memberships')
      .where('project_id', '=', projectId)
      .where('user_id', '=', userId)
      .returning('role')
      .executeTakeFirst()
    if (removed === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ ...entryOf(orgId, projectId, userId), action: 'delete', before: removed }] }
  })

export interface NewMember extends NewUser {
  readonly orgId: string
  readonly role: Role
}

/**
 * Creates the user. Returns undefined if a different user has the address. Throws `reference_missing` if the organization does not exist.
 */
export const createMember = (all: Instance, by: Author, { orgId, role, ...given }: NewMember): Promise<User | undefined> =>
  inMembers<User | undefined>(all, by, orgId, async rows => {
    const user = await insertUser(rows, by, given)
    if (user === undefined) return { value: undefined, audit: [] }
    const created: Entry = {
      ...{ orgId, projectId: null, resourceType: 'user', resourceId: user.id, action: 'create' },
      after: { email: user.email, name: user.name },
    }
    return { value: user, audit: [created, ...(await putRole(rows, by, { orgId, userId: user.id, role }))] }
  })

/** `isNew` means that this call created the user. */
export async function ensureMember(all: Instance, by: Author, given: NewMember): Promise<{ readonly user: User; readonly isNew: boolean }> {
  const { orgId, role } = given
  const found = await findUserByEmail(all, given.email)
  if (found === undefined) {
    const made = await createMember(all, by, given)
    if (made !== undefined) return { user: made, isNew: true }
  }
  // If the insert did nothing, another replica has just created the user.
  const user = found ?? (await findUserByEmail(all, given.email))
  if (user === undefined) throw new Error(`The user ${emailOf(given.email)} neither exists nor can be created.`)
  await inMembers<void>(all, by, orgId, async rows => {
    const known = await membershipIn(rows, orgId, user.id)
    return { value: undefined, audit: known === undefined ? await putRole(rows, by, { orgId, userId: user.id, role }) : [] }
  })
  return { user, isNew: false }
}

export interface MembersPage {
  readonly email?: string
  readonly offset: number
  readonly limit: number
}

/** Returns a page of members, oldest first, and the total number of members. */
export async function pageOfMembers(
  all: Instance,
  orgId: string,
  { email, offset, limit }: MembersPage,
): Promise<{ readonly users: readonly User[]; readonly total: number }> {
  if (email !== undefined && !canBeId(emailOf(email))) return { users: [], total: 0 }
  const of = () => {
    const members = all
      .select('organization_memberships')
      .innerJoin('users', 'users.id', 'organization_memberships.user_id')
      .where('organization_memberships.org_id', '=', orgId)
    return email === undefined ? members : members.where('users.email', '=', emailOf(email))
  }
  const { total } = await of()
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow()
  const query = of().selectAll('users').orderBy('organization_memberships.created_at').orderBy('users.id')
  return { users: (await query.offset(offset).limit(limit).execute()).map(userOf), total: Number(total) }
}

/** Creates the user if needed. `member` means that the user was already a member. */
export const addMember = (all: Instance, by: Author, { orgId, role, ...given }: NewMember): Promise<User | 'member'> =>
  inMembers<User | 'member'>(all, by, orgId, async rows => {
    const found = await findUserByEmail(rows, given.email)
    const user = found ?? (await insertUser(rows, by, given)) ?? (await findUserByEmail(rows, given.email))
    if (user === undefined) throw new Error('No user has this email address.')
    if ((await membershipIn(rows, orgId, user.id)) !== undefined) return { value: 'member', audit: [] }
    const created = {
      orgId,
      projectId: null,
      resourceType: 'user',
      resourceId: user.id,
      action: 'create',
      after: { email: user.email },
    } as const
    return {
      value: user,
      audit: [...(found === undefined ? [created] : []), ...(await putRole(rows, by, { orgId, userId: user.id, role }))],
    }
  })

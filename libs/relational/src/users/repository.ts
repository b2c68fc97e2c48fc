// A user can belong to several organizations. Each change of a user is recorded in the audit logs of all of the user's organizations.
import { randomUUID } from 'node:crypto'
import type { AuditEntry, AuditedTenant, Author } from '../tenancy/audit.ts'
import type { Instance, InstanceRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface User {
  readonly id: string
  /** Email address in lowercase. Empty for a user without an address, which v3 allows. */
  readonly email: string
  readonly name: string | null
  readonly image: string | null
  readonly hasPassword: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewUser {
  readonly email: string
  readonly name?: string | null
  /** A hash from `hashPassword`. */
  readonly passwordHash?: string
}

export const userOf = (row: RowOf<'users'>): User => ({
  id: row.id,
  email: row.email ?? '',
  name: row.name,
  image: row.image,
  hasPassword: row.password !== null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Returns the form in which an email address is stored and compared. */
export const emailOf = (text: string): string => text.trim().toLowerCase()

export async function findUser(all: Pick<Instance, 'find'>, id: string): Promise<User | undefined> {
  const row = await all.find('users', id)
  return row && userOf(row)
}

/** Returns the name for each user id. Users without a name are omitted. */
export async function namesOfUsers(all: Pick<Instance, 'select'>, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await all.select('users').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

const rowByEmail = async (all: Pick<InstanceRows, 'select'>, email: string): Promise<RowOf<'users'> | undefined> =>
  canBeId(emailOf(email)) ? all.select('users').selectAll().where('email', '=', emailOf(email)).executeTakeFirst() : undefined

export async function findUserByEmail(all: Pick<InstanceRows, 'select'>, email: string): Promise<User | undefined> {
  const row = await rowByEmail(all, email)
  return row && userOf(row)
}

/** The password hash is null for a user without a password. */
export async function findCredentials(
  all: Instance,
  email: string,
): Promise<{ readonly user: User; readonly hash: string | null } | undefined> {
  const row = await rowByEmail(all, email)
  return row && { user: userOf(row), hash: row.password }
}

export async function listUsers(all: Instance): Promise<readonly User[]> {
  return (await all.select('users').selectAll().orderBy('created_at').orderBy('id').execute()).map(userOf)
}

/** Inserts only the user's row; the caller adds memberships and the audit entry. Returns undefined if a different user has the address. */
export async function insertUser(
  rows: InstanceRows,
  by: Author,
  { email, name = null, passwordHash = null }: Omit<NewUser, 'passwordHash'> & { readonly passwordHash?: string | null },
): Promise<User | undefined> {
  const made = await rows
    .insert('users', { id: randomUUID(), email: emailOf(email), name, password: passwordHash, feature_flags: [], ...timesAt(by.at) })
    .onConflict(conflict => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
  return made && userOf(made)
}

type Entry = AuditEntry & AuditedTenant

/** Creates one audit entry for each organization of the user. */
export async function entriesOfUser(
  rows: InstanceRows,
  userId: string,
  entry: Omit<AuditEntry, 'resourceType' | 'resourceId'>,
): Promise<readonly Entry[]> {
  const of = await rows.select('organization_memberships').select('org_id').where('user_id', '=', userId).orderBy('org_id').execute()
  return of.map(({ org_id: orgId }) => ({ ...entry, orgId, projectId: null, resourceType: 'user', resourceId: userId }))
}

/** Sets the password, and ends every session of the user. */
export const setPassword = (all: Instance, by: Author, userId: string, passwordHash: string): Promise<boolean> =>
  all.write<boolean>(by, async rows => {
    if (!canBeId(userId)) return { value: false, audit: [] }
    const changed = await rows
      .update('users')
      .set({ password: passwordHash, updated_at: by.at })
      .where('id', '=', userId)
      .returning('id')
      .executeTakeFirst()
    if (changed === undefined) return { value: false, audit: [] }
    await rows.delete('sign_in_sessions').where('user_id', '=', userId).execute()
    return { value: true, audit: await entriesOfUser(rows, userId, { action: 'update', after: { password: 'changed' } }) }
  })

export const removeUser = (all: Instance, by: Author, userId: string): Promise<boolean> =>
  all.write<boolean>(by, async rows => {
    const user = await rows.find('users', userId)
    if (user === undefined) return { value: false, audit: [] }
    const audit = await entriesOfUser(rows, userId, { action: 'delete', before: { email: user.email, name: user.name } })
    await rows.delete('users').where('id', '=', userId).execute()
    return { value: true, audit }
  })

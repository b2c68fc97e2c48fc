import { beforeAll, describe, expect, test } from 'vitest'
import { accessToProject, organizationsOf, roleInOrganization } from '../../src/memberships/access.ts'
import {
  createMember,
  ensureMember,
  listMembers,
  listProjectMembers,
  putMember,
  putProjectMember,
  removeMember,
  removeProjectMember,
} from '../../src/memberships/repository.ts'
import { type Instance, instance } from '../../src/tenancy/handles.ts'
import { createLink, redeemLink } from '../../src/users/links.ts'
import { hashPassword, verifyPassword } from '../../src/users/passwords.ts'
import { findCredentials, findUserByEmail, removeUser, setPassword, type User } from '../../src/users/repository.ts'
import { endSession, findSession, startSession } from '../../src/users/sessions.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const hours = (n: number) => new Date(by.at.getTime() + n * 3_600_000)
let counter = 0

export const people = (opened: () => OpenedProjects) =>
  describe('people', () => {
    let all: Instance
    beforeAll(() => {
      all = instance(opened().store)
    })
    const member = async (role: 'OWNER' | 'MEMBER' | 'NONE' = 'MEMBER', orgId = 'o'): Promise<User> =>
      (await createMember(all, by, { orgId, role, email: `User-${counter++}@Example.com ` }))!
    const audit = async (resourceId: string) => {
      const rows = await all.select('audit_logs').selectAll().where('resource_id', '=', resourceId).orderBy('created_at').execute()
      return rows.map(({ action, resource_type, org_id, project_id }) => [action, resource_type, org_id, project_id].join(' '))
    }

    test('belong to an organization with a role, which a project may override', async () => {
      const user = await member()
      expect(user).toMatchObject({ email: expect.stringMatching(/^user-\d+@example\.com$/), hasPassword: false })
      expect(await createMember(all, by, { orgId: 'o2', role: 'OWNER', email: user.email.toUpperCase() })).toBe(undefined)
      expect(await accessToProject(all, user.id, 'p')).toEqual({ orgId: 'o', role: 'MEMBER', roleInOrganization: 'MEMBER' })
      expect(await accessToProject(all, user.id, 'q')).toBe(undefined)
      expect(await roleInOrganization(all, user.id, 'o2')).toBe(undefined)

      const inP = { orgId: 'o', projectId: 'p', userId: user.id }
      expect(await putProjectMember(all, by, { ...inP, role: 'VIEWER' })).toMatchObject({ role: 'VIEWER', email: user.email })
      expect(await putProjectMember(all, by, { ...inP, role: 'VIEWER' })).toMatchObject({ role: 'VIEWER' })
      expect((await accessToProject(all, user.id, 'p'))!.role).toBe('VIEWER')
      expect(await putProjectMember(all, by, { ...inP, userId: 'nobody', role: 'VIEWER' })).toBe(undefined)
      expect((await listProjectMembers(all, 'p')).map(({ userId }) => userId)).toContain(user.id)
      expect(await organizationsOf(all, user.id)).toMatchObject([{ id: 'o', role: 'MEMBER', projects: expect.any(Array) }])
      expect([await removeProjectMember(all, by, inP), await removeProjectMember(all, by, inP)]).toEqual([true, false])
      expect((await audit(user.id)).sort()).toEqual([
        'create orgMembership o ',
        'create projectMembership o p',
        'create user o ',
        'delete projectMembership o p',
      ])
    })

    test('a user with the role NONE sees only projects that grant another role', async () => {
      const user = await member('NONE')
      expect(await accessToProject(all, user.id, 'p')).toBe(undefined)
      await putProjectMember(all, by, { orgId: 'o', projectId: 'p', userId: user.id, role: 'ADMIN' })
      expect(await accessToProject(all, user.id, 'p')).toMatchObject({ role: 'ADMIN' })
      expect(await organizationsOf(all, user.id)).toMatchObject([{ role: 'NONE', projects: [{ id: 'p', role: 'ADMIN' }] }])
      expect(await removeMember(all, by, { orgId: 'o', userId: user.id, keepOwner: true })).toBe(true)
      expect(await accessToProject(all, user.id, 'p')).toBe(undefined)
    })

    test('the last owner cannot be removed, even when two owners are removed concurrently', async () => {
      const [one, two] = [await member('OWNER', 'o2'), await member('OWNER', 'o2')]
      const gone = [one, two].map(({ id }) => removeMember(all, by, { orgId: 'o2', userId: id, keepOwner: true }))
      expect((await Promise.all(gone)).sort()).toEqual(['last_owner', true])
      const [last] = await listMembers(all, 'o2')
      const change = { orgId: 'o2', userId: last!.userId, role: 'VIEWER' } as const
      expect(await putMember(all, by, { ...change, keepOwner: true })).toEqual({ refused: 'last_owner' })
      expect(await putMember(all, by, { ...change, keepOwner: false })).toMatchObject({ role: 'VIEWER' })
      expect(await putMember(all, by, { ...change, userId: 'nobody', keepOwner: false })).toEqual({ refused: 'no_user' })
    })

    test('are created once, however many processes start concurrently', async () => {
      const given = { orgId: 'o', role: 'OWNER', email: 'first@example.com', name: 'First' } as const
      const made = await Promise.all(Array.from({ length: 5 }, () => ensureMember(all, by, given)))
      expect(new Set(made.map(({ user }) => user.id)).size).toBe(1)
      expect(made.filter(({ isNew }) => isNew)).toHaveLength(1)
    })

    test('a sign-in session ends after twelve idle hours, and after thirty days in any case', async () => {
      const user = await member()
      const { token, expiresAt } = await startSession(all, user.id, by.at)
      expect(expiresAt).toEqual(hours(720))
      const rows = await all.select('sign_in_sessions').select('token_hash').where('user_id', '=', user.id).execute()
      expect(rows[0]!.token_hash).not.toContain(token)
      expect(await findSession(all, token, hours(11))).toMatchObject({ user: { id: user.id } })
      expect(await findSession(all, token, hours(22))).toMatchObject({ user: { id: user.id } })
      expect(await findSession(all, token, hours(34))).toBe(undefined)
      expect(await findSession(all, 'x', by.at)).toBe(undefined)
      const next = await startSession(all, user.id, hours(0))
      for (let hour = 10; hour < 720; hour += 10) await findSession(all, next.token, hours(hour))
      expect(await findSession(all, next.token, hours(720))).toBe(undefined)
      const third = await startSession(all, user.id, by.at)
      await endSession(all, third.token)
      expect(await findSession(all, third.token, by.at)).toBe(undefined)
    })

    test('a link works once within a week, a new link replaces it, and setting a password with it ends sessions', async () => {
      const user = await member()
      const older = await createLink(all, user.id, by)
      const { token } = await createLink(all, user.id, by)
      expect(await redeemLink(all, older.token, by.at)).toBe(undefined)
      const session = await startSession(all, user.id, by.at)
      const redeemed = await Promise.all([1, 2, 3].map(() => redeemLink(all, token, by.at, async () => 'hash')))
      expect(redeemed.filter(id => id === user.id)).toHaveLength(1)
      expect(await findSession(all, session.token, by.at)).toBe(undefined)
      expect((await findCredentials(all, user.email))!.hash).toBe('hash')
      const hashed = async () => expect.unreachable('The password was hashed for an unknown token.')
      expect(await redeemLink(all, token, by.at, hashed)).toBe(undefined)
      const late = await createLink(all, user.id, by)
      expect(await redeemLink(all, late.token, hours(7 * 24))).toBe(undefined)
      await expect(createLink(all, 'nobody', by)).rejects.toMatchObject({ code: 'reference_missing' })
    })

    test('passwords are stored as argon2id hashes, and a removed user leaves nothing but audit entries', async () => {
      const user = await member()
      const hash = await hashPassword('correct horse')
      expect(hash).toMatch(/^\$argon2id\$/)
      await expect(hashPassword('short')).rejects.toMatchObject({ code: 'bad_request' })
      expect(await setPassword(all, by, user.id, hash)).toBe(true)
      expect([await verifyPassword('correct horse', hash), await verifyPassword('battery', hash)]).toEqual([true, false])
      expect([await verifyPassword('nobody has it', null), await verifyPassword('x', '$2a$11$bcrypt')]).toEqual([false, false])
      await startSession(all, user.id, by.at)
      expect([await removeUser(all, by, user.id), await removeUser(all, by, user.id)]).toEqual([true, false])
      expect(await findUserByEmail(all, user.email)).toBe(undefined)
      expect(await audit(user.id)).toContain('delete user o ')
    })
  })

// Tests members, SCIM, and the administration of the instance (contract §§19.3, 19.5, 19.7), with PGlite and with PostgreSQL.
import { storeKinds } from '@svc-server/relational/test-stores'
import type { User } from '@svc-server/relational/users'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, signedInAs } from './people.ts'
import { type OpenedResources, openResources } from './resources.ts'

const urn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const instanceKey = 'an-instance-key-of-tests'
const env = { ADMIN_API_KEY: instanceKey }

describe.each(storeKinds)('on $kind', ({ open }) => {
  let opened: OpenedResources
  let owner: User
  let member: User
  let stranger: User
  beforeAll(async () => {
    opened = await openResources({ store: await open(), env })
    const { store } = opened
    await store.db.insertInto('organizations').values({ id: 'elsewhere', name: 'elsewhere' }).execute()
    await store.db.insertInto('projects').values({ id: 'foreign', org_id: 'elsewhere', name: 'foreign' }).execute()
    owner = await addPerson(store, 'owner@example.com', 'OWNER')
    member = await addPerson(store, 'member@example.com', 'MEMBER')
    stranger = await addPerson(store, 'stranger@example.com', 'OWNER', 'elsewhere')
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
  })

  const send: OpenedResources['send'] = (...request) => opened.sendAsOrganization(...request)
  const members = async () => (await send('GET', '/organizations/memberships')).json.memberships as readonly { userId: string }[]

  test('members are added, listed, changed and removed, each with an audit entry', async () => {
    const put = await send('PUT', '/organizations/memberships', { userId: stranger.id, role: 'VIEWER' })
    expect([put.status, put.json]).toEqual([200, { userId: stranger.id, role: 'VIEWER', email: 'stranger@example.com', name: null }])
    expect((await send('PUT', '/organizations/memberships', { userId: stranger.id, role: 'NONE' })).json.role).toBe('NONE')
    expect(await members()).toContainEqual({ ...put.json, role: 'NONE' })
    expect((await send('PUT', '/organizations/memberships', { userId: 'nobody', role: 'VIEWER' })).json).toEqual({
      error: 'User not found',
    })
    expect((await send('PUT', '/organizations/memberships', { userId: stranger.id, role: 'KING' })).status).toBe(400)
    for (const _ of [1, 2]) {
      const removed = await send('DELETE', '/organizations/memberships', { userId: stranger.id })
      expect([removed.status, removed.json]).toEqual([200, { message: 'Membership deleted successfully', userId: stranger.id }])
    }
    expect((await members()).map(({ userId }) => userId)).not.toContain(stranger.id)
    const audit = (await opened.audit(stranger.id)).filter(entry => entry.includes('org'))
    expect(audit.slice(1)).toEqual(['create orgMembership', 'update orgMembership', 'delete orgMembership'])
  })

  test('project roles are only for members and for projects of the organization', async () => {
    const path = '/projects/project-0/memberships'
    const put = await send('PUT', path, { userId: member.id, role: 'ADMIN' })
    expect([put.status, put.json]).toEqual([200, { userId: member.id, role: 'ADMIN', email: 'member@example.com', name: null }])
    expect((await send('GET', path)).json).toEqual({ memberships: [put.json] })
    const refused = await send('PUT', path, { userId: stranger.id, role: 'ADMIN' })
    expect([refused.status, refused.json]).toEqual([404, { error: 'User is not a member of this organization' }])
    for (const project of ['foreign', 'nothing']) {
      expect((await send('PUT', `/projects/${project}/memberships`, { userId: member.id, role: 'ADMIN' })).status).toBe(404)
      expect((await send('GET', `/projects/${project}/memberships`)).status).toBe(404)
      expect((await send('DELETE', `/projects/${project}/memberships`, { userId: member.id })).status).toBe(403)
    }
    const removed = await send('DELETE', path, { userId: member.id })
    expect(removed.json).toEqual({ message: 'Project membership deleted successfully', userId: member.id })
    expect((await send('DELETE', path, { userId: member.id })).json).toEqual({ error: 'Project membership not found' })
    expect((await opened.audit(member.id)).slice(-2)).toEqual(['create projectMembership', 'delete projectMembership'])
  })

  test('a person cannot grant a role above their own or remove the last owner', async () => {
    const { store } = opened
    const admin = await addPerson(store, 'admin@example.com', 'ADMIN')
    const ask = async (user: User, method: string, path: string, body: object) => {
      const headers = await signedInAs(store, user)
      return (await opened.api.send(method, `/api/ui/organizations/org${path}`, { authorization: null, headers, body })).status
    }
    expect(await ask(admin, 'PUT', '/organizations/memberships', { userId: admin.id, role: 'OWNER' })).toBe(403)
    expect(await ask(admin, 'PUT', '/projects/project-0/memberships', { userId: admin.id, role: 'OWNER' })).toBe(403)
    expect(await ask(admin, 'PUT', '/projects/project-0/memberships', { userId: member.id, role: 'ADMIN' })).toBe(200)
    expect(await ask(owner, 'DELETE', '/organizations/memberships', { userId: owner.id })).toBe(403)
    expect(await ask(owner, 'PUT', '/organizations/memberships', { userId: owner.id, role: 'VIEWER' })).toBe(403)
    expect(await ask(owner, 'PUT', '/organizations/memberships', { userId: member.id, role: 'OWNER' })).toBe(200)
    // `member` administers only the project, not the organization.
    await ask(owner, 'PUT', '/organizations/memberships', { userId: member.id, role: 'VIEWER' })
    expect(await ask(member, 'POST', '/projects/project-0/apiKeys', {})).toBe(201)
    expect(await ask(member, 'POST', '/projects/project-other/apiKeys', {})).toBe(403)
  })

  describe('SCIM', () => {
    const users = '/scim/Users'
    const view = (id: string, userName: string, formatted: string | null) => ({
      ...{ schemas: [urn], id, userName, name: { formatted }, emails: [{ primary: true, value: userName, type: 'work' }] },
      meta: { resourceType: 'User', created: expect.any(String), lastModified: expect.any(String) },
    })
    const problem = (status: number, detail: string) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], detail, status })

    test('describes itself', async () => {
      const config = await send('GET', '/scim/ServiceProviderConfig')
      expect(config.json).toMatchObject({ patch: { supported: false }, filter: { supported: true, maxResults: 100 } })
      expect((await send('GET', '/scim/ResourceTypes')).json).toMatchObject({ totalResults: 1, Resources: [{ id: 'User', schema: urn }] })
      expect((await send('GET', '/scim/Schemas')).json.Resources[0].attributes.map(({ name }: { name: string }) => name)).toEqual([
        ...['id', 'userName', 'name', 'emails', 'meta'],
      ])
    })

    test('creates, reads, changes and removes a user', async () => {
      const body = { schemas: [urn], userName: 'New@Example.com', name: { formatted: 'New One' }, roles: ['MEMBER'], password: 'ignored' }
      const headers = { 'content-type': 'application/scim+json' }
      const made = await send('POST', users, body, { headers })
      const { id } = made.json as { id: string }
      expect([made.status, made.json]).toEqual([201, view(id, 'new@example.com', 'New One')])
      expect(await members()).toContainEqual({ userId: id, role: 'MEMBER', email: 'new@example.com', name: 'New One' })
      const again = await send('POST', users, body)
      expect([again.status, again.json]).toEqual([409, problem(409, 'User with this userName already exists')])
      expect((await send('GET', `${users}/${id}`)).json).toEqual(made.json)
      const found = await send('GET', `${users}?filter=${encodeURIComponent('userName eq "NEW@example.com"')}`)
      expect(found.json).toMatchObject({
        totalResults: 1,
        startIndex: 1,
        itemsPerPage: 1,
        Resources: [{ id, meta: { resourceType: 'User' } }],
      })

      const patch = (active: boolean, op = 'replace') => ({ schemas: [patchUrn], Operations: [{ op, value: { active } }] })
      expect((await send('PATCH', `${users}/${id}`, patch(false))).status).toBe(200)
      expect((await send('GET', `${users}/${id}`)).json).toEqual(problem(404, 'User not found in organization'))
      expect((await send('PATCH', `${users}/${id}`, patch(true, 'add'))).status).toBe(400)
      expect((await send('PATCH', `${users}/${id}`, { ...patch(true), schemas: [urn] })).status).toBe(400)
      expect((await send('PUT', `${users}/${id}`, { schemas: [urn], active: true })).status).toBe(200)
      expect(await members()).toContainEqual(expect.objectContaining({ userId: id, role: 'NONE' }))
      expect((await send('PUT', `${users}/${id}`, { schemas: [urn], active: true, roles: ['ADMIN'] })).status).toBe(200)
      expect((await send('PUT', `${users}/${id}`, { schemas: [urn], active: true })).status).toBe(200)
      expect(await members()).toContainEqual(expect.objectContaining({ userId: id, role: 'ADMIN' }))
      for (const _ of [1, 2]) expect((await send('DELETE', `${users}/${id}`)).status).toBe(204)
      for (const method of ['GET', 'DELETE']) {
        expect((await send(method, `${users}/nobody`)).json).toEqual(problem(404, 'User not found'))
      }
      expect(await opened.audit(id)).toEqual(expect.arrayContaining(['create user', 'create orgMembership', 'delete orgMembership']))
    })

    test('adds a user of another organization with NONE, and refuses an unknown role', async () => {
      const body = { userName: 'STRANGER@example.com', displayName: 'unused' }
      expect((await send('POST', users, { ...body, roles: ['KING'] })).status).toBe(400)
      expect((await send('POST', users, body)).json).toMatchObject({ id: stranger.id, name: { formatted: null } })
      expect(await members()).toContainEqual(expect.objectContaining({ userId: stranger.id, role: 'NONE' }))
      expect((await send('DELETE', `${users}/${stranger.id}`)).status).toBe(204)
    })

    test('keeps the last owner, and lists users in pages', async () => {
      const refused = await send('DELETE', `${users}/${owner.id}`)
      expect([refused.status, refused.json.status]).toEqual([403, 403])
      expect((await send('PUT', `${users}/${owner.id}`, { schemas: [urn], active: true, roles: ['VIEWER'] })).status).toBe(403)
      const all = (await send('GET', users)).json
      const page = (await send('GET', '/scim/Users?startIndex=2&count=1')).json
      expect(page).toEqual({ ...all, startIndex: 2, itemsPerPage: 1, Resources: [all.Resources[1]] })
      expect((await send('GET', '/scim/Users?filter=nothing%20known')).json.totalResults).toBe(all.totalResults)
      for (const [query, startIndex, items] of [
        ['startIndex=0', 1, all.totalResults],
        ['startIndex=-3&count=1', 1, 1],
        ['count=0', 1, 0],
        ['count=-1', 1, 0],
        ['count=5000', 1, all.totalResults],
        [`startIndex=${all.totalResults + 1}`, all.totalResults + 1, 0],
      ] as const) {
        const { json } = await send('GET', `/scim/Users?${query}`)
        const { totalResults, itemsPerPage, Resources } = json
        expect([json.startIndex, totalResults, itemsPerPage, Resources.length], query).toEqual([startIndex, all.totalResults, items, items])
      }
      const found = async (filter: string) => (await send('GET', `/scim/Users?filter=${encodeURIComponent(filter)}`)).json.totalResults
      expect(await found(`${urn}:userName eq "owner@example.com"`)).toBe(1)
      expect(await found('USERNAME EQ "OWNER@EXAMPLE.COM"')).toBe(1)
      expect(await found('userName eq "owner\\u0040example.com"')).toBe(1)
      for (const unknown of ['userName eq "a\\"b"', 'userName eq "\\x"', 'userName eq ""', 'userName eq "%"'])
        expect(await found(unknown), unknown).toBe(0)
    })
  })

  describe('the instance', () => {
    const ask = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      opened.api.send(method, path, { authorization: `Bearer ${instanceKey}`, headers, ...(body !== undefined && { body }) })
    const at = '/api/admin/organizations'

    test('creates, reads, changes and deletes an organization with its keys', async () => {
      expect((await ask('POST', at, { name: 'ab' })).status).toBe(400)
      const made = await ask('POST', at, { name: 'Acme', metadata: { tier: 1 } })
      const { id } = made.json as { id: string }
      expect([made.status, made.json]).toEqual([201, { ...made.json, name: 'Acme', metadata: { tier: 1 }, projects: [] }])
      expect((await ask('GET', at)).json.organizations).toContainEqual(made.json)
      const changed = await ask('PUT', `${at}/${id}`, { name: 'Acme Inc' })
      expect(changed.json).toEqual({ ...made.json, name: 'Acme Inc' })
      expect((await ask('GET', `${at}/${id}`)).json).toEqual(changed.json)

      const key = await ask('POST', `${at}/${id}/apiKeys`, { note: 'first' })
      expect([key.status, key.json]).toMatchObject([201, { note: 'first', secretKey: expect.stringMatching(/^sk-svc-/) }])
      const authorization = `Basic ${Buffer.from(`${key.json.publicKey}:${key.json.secretKey}`).toString('base64')}`
      const asAcme = (method: string, path: string, body?: unknown) => opened.api.send(method, path, { authorization, body })
      const project = await asAcme('POST', '/api/public/projects', { name: 'Chat' })
      expect((await ask('GET', `${at}/${id}`)).json.projects).toMatchObject([{ id: project.json.id, name: 'Chat', metadata: null }])
      expect((await ask('DELETE', `${at}/${id}`)).status).toBe(400)
      await opened.store.db.deleteFrom('projects').where('id', '=', project.json.id).execute()

      const second = (await ask('POST', `${at}/${id}/apiKeys`)).json
      expect((await ask('GET', `${at}/${id}/apiKeys`)).json.apiKeys.map((each: { id: string }) => each.id)).toEqual([
        key.json.id,
        second.id,
      ])
      expect((await ask('DELETE', `${at}/${id}/apiKeys/${second.id}`)).json).toEqual({ success: true })
      expect((await ask('DELETE', `${at}/${id}/apiKeys/${second.id}`)).json).toEqual({ error: 'API key not found' })
      expect((await ask('DELETE', `${at}/${id}`)).json).toEqual({ success: true })
      expect((await asAcme('GET', '/api/public/organizations/projects')).status).toBe(401)
      for (const method of ['GET', 'DELETE']) expect((await ask(method, `${at}/${id}`)).json).toEqual({ error: 'Organization not found' })
      expect(await opened.audit(id)).toEqual(['create organization', 'update organization', 'delete organization'])
    })

    test('revokes the keys of a project, and clears cached keys', async () => {
      const made = await send('POST', '/projects/project-0/apiKeys', {})
      const authorization = `Basic ${Buffer.from(`${made.json.publicKey}:${made.json.secretKey}`).toString('base64')}`
      const status = async () => (await opened.api.send('GET', '/api/public/projects', { authorization })).status
      const change = (body: object) => ask('POST', '/api/admin/api-keys', body)
      expect(await status()).toBe(200)
      await opened.store.db.deleteFrom('api_keys').where('id', '=', made.json.id).execute()
      expect((await change({ action: 'invalidate-all' })).status).toBe(200)
      expect((await change({ action: 'delete', projectIds: [] })).status).toBe(400)
      const other = await send('POST', '/projects/project-0/apiKeys', {})
      expect((await change({ action: 'delete', projectIds: ['project-0'] })).json.message).toMatch(/^\d+ API keys deleted$/)
      const keys = (await send('GET', '/projects/project-0/apiKeys')).json.apiKeys
      expect(keys).toEqual([])
      expect(other.status).toBe(201)
    })

    test('acts for a project in operations that permit it', async () => {
      const headers = { 'x-svc-admin-api-key': instanceKey, 'x-svc-project-id': 'project-0' }
      expect((await ask('GET', '/api/public/models', undefined, headers)).status).toBe(200)
      expect((await ask('GET', '/api/public/models', undefined, { ...headers, 'x-svc-project-id': 'nothing' })).status).toBe(404)
      expect(
        (await ask('GET', '/api/public/models', undefined, { 'x-svc-admin-api-key': 'wrong', 'x-svc-project-id': 'project-0' })).status,
      ).toBe(401)
      // The administrator's key is valid for the route of models, but not for the route of prompts.
      expect((await ask('GET', '/api/public/prompts', undefined, headers)).status).toBe(401)
    })

    test('refuses a wrong key and slows down guessing', async () => {
      const guess = (n: number) => opened.api.send('GET', at, { authorization: `Bearer wrong-key-number-${n}`, headers: {} })
      expect((await guess(0)).json.error).toMatch(/^Unauthorized: /)
      for (let n = 1; n < 6; n++) await guess(n)
      expect((await guess(9)).status).toBe(429)
    })
  })
})

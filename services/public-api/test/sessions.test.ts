// Builds a request for every operation under /api/ui from the operation's definition.
import { createLink } from '@svc-server/relational/sign-in-links'
import { instance } from '@svc-server/relational/tenancy'
import type { User } from '@svc-server/relational/users'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handlers } from '../src/operations/index.ts'
import { mountsOf } from '../src/request/mounts.ts'
import { addPerson, ownPage, password, signedInAs } from './people.ts'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
let owner: User
let viewer: User
let stranger: User
let asOwner: Readonly<Record<string, string>>
let asViewer: Readonly<Record<string, string>>
let asStranger: Readonly<Record<string, string>>
beforeAll(async () => {
  // With these variables, the API serves every operation.
  opened = await openResources({ env: { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' } })
  const { store } = opened
  await store.db.insertInto('organizations').values({ id: 'elsewhere', name: 'elsewhere' }).execute()
  owner = await addPerson(store, 'owner@example.com', 'OWNER')
  viewer = await addPerson(store, 'viewer@example.com', 'VIEWER')
  stranger = await addPerson(store, 'stranger@example.com', 'OWNER', 'elsewhere')
  asOwner = await signedInAs(store, owner)
  asViewer = await signedInAs(store, viewer)
  asStranger = await signedInAs(store, stranger)
})
afterAll(() => opened[Symbol.asyncDispose]())

const ask = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
  opened.api.send(method, path, { authorization: null, headers, ...(body !== undefined && { body }) })
const signIn = (email: string, given: string, headers: Readonly<Record<string, string>> = ownPage) =>
  ask('POST', '/api/ui/session', headers, { email, password: given })
const cookiesOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => String(headers['set-cookie'])

describe('sign-in', () => {
  test('sets a cookie that scripts cannot read, and returns the user with roles', async () => {
    const answer = await signIn(' Owner@Example.com', password)
    expect(answer.status).toBe(200)
    expect(cookiesOf(answer)).toMatch(/^svc-session=[\w-]{43}; Expires=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(answer.json.user).toEqual({ id: owner.id, email: 'owner@example.com', name: null, image: null, hasPassword: true })
    expect(answer.json.organizations).toMatchObject([{ id: 'org', role: 'OWNER', projects: [{ id: 'project-0', role: 'OWNER' }, {}] }])
    expect(answer.headers['access-control-allow-origin']).toBe(undefined)
    const cookie = cookiesOf(answer).split(';')[0]!
    const me = await ask('GET', '/api/ui/me', { cookie })
    expect([me.status, me.json]).toEqual([200, answer.json])
    expect((await opened.api.send('GET', '/api/public/projects', { authorization: null, headers: { cookie } })).status).toBe(401)

    const out = await ask('DELETE', '/api/ui/session', { ...ownPage, cookie })
    expect([out.status, cookiesOf(out)]).toEqual([204, 'svc-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
    const ended = await ask('GET', '/api/ui/me', { cookie })
    expect([ended.status, ended.headers['www-authenticate']]).toEqual([401, undefined])
  })

  test('over https, the cookie is bound to this host', async () => {
    const answer = await signIn('owner@example.com', password, { ...ownPage, 'x-forwarded-proto': 'https' })
    expect(cookiesOf(answer)).toMatch(/^__Host-svc-session=[\w-]{43}; .*Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    expect((await ask('GET', '/api/ui/me', { cookie: `a=b; ${cookiesOf(answer).split(';')[0]}` })).status).toBe(200)
  })

  test('an unknown account and a wrong password get the same refusal, and guessing is slowed down', async () => {
    const [unknown, wrong] = [await signIn('nobody@example.com', 'x'), await signIn('viewer@example.com', 'x')]
    expect([unknown.status, unknown.json]).toEqual([401, wrong.json])
    for (let n = 0; n < 4; n++) expect((await signIn('viewer@example.com', `guess ${n}`)).status).toBe(401)
    const waits = await signIn('viewer@example.com', password)
    expect([waits.status, Number(waits.headers['retry-after'])]).toEqual([429, expect.any(Number)])
    expect((await signIn('stranger@example.com', password)).status).toBe(200)
  })

  test('a link signs in once, and may set the password', async () => {
    const { token } = await createLink(instance(opened.store), stranger.id, { actor: 'operator', at: new Date() })
    const redeem = (body: object) => ask('POST', '/api/ui/session/link', ownPage, body)
    expect((await redeem({ token, password: 'short' })).status).toBe(400)
    expect((await redeem({ token, password: 'another password' })).json.user.id).toBe(stranger.id)
    expect((await redeem({ token })).status).toBe(401)
    expect((await ask('GET', '/api/ui/me', asStranger)).status).toBe(401)
    const again = await signIn('stranger@example.com', 'another password')
    const cookie = cookiesOf(again).split(';')[0]!
    const change = (body: object) => ask('PUT', '/api/ui/me/password', { ...ownPage, cookie }, body)
    expect((await change({ password: 'a third password' })).status).toBe(400)
    const changed = await change({ current: 'another password', password: 'a third password' })
    expect(changed.status).toBe(200)
    expect((await ask('GET', '/api/ui/me', { cookie })).status).toBe(401)
    asStranger = { ...ownPage, cookie: cookiesOf(changed).split(';')[0]! }
  })

  test.each([
    ['without the header', { 'sec-fetch-site': 'same-origin' }],
    ['of another site', { 'x-svc-ui': '1', 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['of a sibling host', { 'x-svc-ui': '1', 'sec-fetch-site': 'same-site' }],
    ['of an old browser on another origin', { 'x-svc-ui': '1', origin: 'http://evil.example' }],
    ['of nothing that says where it is from', { 'x-svc-ui': '1' }],
  ])('a page %s is refused', async (_, headers) => {
    expect((await signIn('owner@example.com', password, headers)).status).toBe(403)
  })

  test('an old browser may send its origin instead', async () => {
    const headers = { 'x-svc-ui': '1', origin: 'http://here.example:3000', host: 'here.example:3000' }
    expect((await signIn('owner@example.com', password, headers)).status).toBe(200)
  })

  test('a preflight permits nothing to other origins', async () => {
    const answer = await ask('OPTIONS', '/api/ui/session', { origin: 'https://evil.example', 'access-control-request-method': 'POST' })
    expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([])
  })
})

/** The operations with their mounts. */
const mounted = handlers.flatMap(({ operation }) => {
  const mount = mountsOf(operation).find(({ by }) => by !== 'own')
  return mount === undefined ? [] : [[operation.id, operation, mount] as const]
})

test.for(mounted)('%s', async ([, operation, mount]) => {
  const { method, role, params } = operation
  const target = (tenant: string) =>
    mount.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === mount.tenant ? tenant : params.shape[name]!.safeParse('unknown').success ? 'unknown' : '1',
    )
  const own = target(mount.by === 'project' ? 'project-0' : 'org')
  const body = operation.body === undefined ? undefined : {}
  const statusOf = async (path: string, headers: Readonly<Record<string, string>>) => (await ask(method, path, headers, body)).status

  expect(await statusOf(own, ownPage)).toBe(401)
  expect(await statusOf(own, { ...ownPage, cookie: `svc-session=${'x'.repeat(43)}` })).toBe(401)
  expect(await statusOf(own, asStranger)).toBe(404)
  expect(await statusOf(target('nothing'), asOwner)).toBe(404)
  const byViewer = await statusOf(own, asViewer)
  if (role === 'VIEWER') expect([401, 403]).not.toContain(byViewer)
  else expect(byViewer).toBe(403)
  const byOwner = await statusOf(own, asOwner)
  expect([401, 403, 405]).not.toContain(byOwner)
  expect(byOwner).toBeLessThan(500)
  if (method !== 'GET') expect(await statusOf(own, { ...asOwner, 'sec-fetch-site': 'cross-site' })).toBe(403)
})

test('the audit log names the person for each change', async () => {
  const made = await ask('POST', '/api/ui/projects/project-0/score-configs', asOwner, { name: 'quality', dataType: 'BOOLEAN' })
  expect([made.status, made.json.projectId]).toEqual([200, 'project-0'])
  const entry = opened.store.db.selectFrom('audit_logs').select(['type', 'user_id', 'api_key_id']).where('resource_id', '=', made.json.id)
  expect(await entry.executeTakeFirst()).toEqual({ type: 'USER', user_id: owner.id, api_key_id: null })
  const read = await ask('GET', `/api/ui/projects/project-0/score-configs/${made.json.id}`, asViewer)
  expect(read.json.name).toBe('quality')
  expect((await ask('GET', `/api/ui/projects/project-other/score-configs/${made.json.id}`, asOwner)).status).toBe(404)
})

describe('invitations and sign-in links', () => {
  const invite = (body: object, headers = asOwner) => ask('POST', '/api/ui/organizations/org/invitations', headers, body)
  const linkFor = (userId: string, headers: Readonly<Record<string, string>>) =>
    ask('POST', `/api/ui/organizations/org/members/${userId}/sign-in-links`, headers)
  const redeem = async ({ token }: { readonly token: string }, more: object = {}) =>
    (await ask('POST', '/api/ui/session/link', ownPage, { token, ...more })).json.user?.email

  test('an invited person signs in once by the link, and the audit log names who made it', async () => {
    const invited = await invite({ email: ' New@Example.com ', role: 'MEMBER' })
    expect([invited.status, invited.json]).toMatchObject([201, { email: 'new@example.com', role: 'MEMBER' }])
    expect(await redeem(invited.json.link, { password: 'a first password' })).toBe('new@example.com')
    expect(await redeem(invited.json.link)).toBe(undefined)
    expect((await signIn('new@example.com', 'a first password')).json.organizations).toMatchObject([{ id: 'org', role: 'MEMBER' }])
    expect((await invite({ email: 'new@example.com', role: 'VIEWER' })).status).toBe(409)
    expect((await invite({ email: 'no address', role: 'VIEWER' })).status).toBe(400)
    const entries = opened.store.db.selectFrom('audit_logs').select('after').where('resource_id', '=', invited.json.userId)
    const links = (await entries.where('user_id', '=', owner.id).execute()).filter(({ after }) => String(after).includes('signInLink'))
    expect(links).toHaveLength(1)
  })

  test('an administrator cannot grant a role above their own, or make a link for a person with a higher role', async () => {
    const admin = await signedInAs(opened.store, await addPerson(opened.store, 'admin@example.com', 'ADMIN'))
    expect((await invite({ email: 'x@example.com', role: 'OWNER' }, admin)).status).toBe(403)
    expect((await linkFor(owner.id, admin)).status).toBe(403)
    const made = await linkFor(viewer.id, admin)
    expect([made.status, await redeem(made.json)]).toEqual([201, 'viewer@example.com'])
    expect((await linkFor('nobody', admin)).status).toBe(404)
    expect((await linkFor(stranger.id, admin)).status).toBe(404)
  })

  test('a person with an account in a different organization becomes a member without a link, and no member here can make a link for them', async () => {
    const invited = await invite({ email: stranger.email, role: 'VIEWER' })
    expect([invited.status, invited.json]).toEqual([201, { userId: stranger.id, email: stranger.email, role: 'VIEWER', link: null }])
    expect((await linkFor(stranger.id, asOwner)).status).toBe(403)
  })
})

test('only members may be authors of comments or assigned to queues', async () => {
  const { db } = opened.store
  const prompt = { id: 'a prompt', project_id: 'project-0', name: 'p', version: 1, created_by: 'API', prompt: '"text"' }
  await db.insertInto('prompts').values(prompt).execute()
  const outsider = await addPerson(opened.store, 'outsider@example.com', 'OWNER', 'elsewhere')
  const comment = { projectId: 'project-0', objectType: 'PROMPT', objectId: 'a prompt', content: 'good' }
  const byKey = await opened.send('POST', '/comments', { ...comment, authorUserId: viewer.id })
  expect((await opened.send('GET', `/comments/${byKey.json.id}`)).json.authorUserId).toBe(viewer.id)
  expect((await opened.send('POST', '/comments', { ...comment, authorUserId: outsider.id })).status).toBe(400)
  const byPerson = await ask('POST', '/api/ui/projects/project-0/comments', asOwner, { ...comment, authorUserId: viewer.id })
  expect((await opened.send('GET', `/comments?authorUserId=${owner.id}`)).json.data).toMatchObject([{ id: byPerson.json.id }])

  const config = (await opened.send('POST', '/score-configs', { name: 'c', dataType: 'BOOLEAN' })).json
  const queue = (await opened.send('POST', '/annotation-queues', { name: 'q', scoreConfigIds: [config.id] })).json
  const assign = (userId: string) => opened.send('POST', `/annotation-queues/${queue.id}/assignments`, { userId })
  expect((await assign(viewer.id)).json).toEqual({ userId: viewer.id, queueId: queue.id, projectId: 'project-0' })
  expect([(await assign(outsider.id)).status, (await assign('nobody')).status]).toEqual([404, 404])
})

test('a person’s score has that person as its author', async () => {
  const score = { name: 'quality', value: 1, traceId: 't' }
  expect((await ask('POST', '/api/ui/projects/project-0/scores', asOwner, { id: 'of a person', ...score })).status).toBe(200)
  expect((await opened.send('POST', '/scores', { id: 'of a key', ...score })).status).toBe(200)
  const authors = new Map((await opened.api.scores()).map(({ id, authorUserId }) => [id, authorUserId]))
  expect([authors.get('of a person'), authors.get('of a key')]).toEqual([owner.id, null])
})

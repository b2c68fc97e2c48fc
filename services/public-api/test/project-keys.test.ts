import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, startApi, type TestApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

let opened: OpenedDatasets
let keys: KeyStore
let api: TestApi
let authorization: string
let stranger: string
const path = '/api/public/projects/project-0/apiKeys'

async function organizationKey(orgId: string): Promise<string> {
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { orgId } })
  return basic(publicKey, secretKey)
}

beforeAll(async () => {
  opened = await openDatasets()
  keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  await keys.createOrganization({ id: 'strangers', name: 'Strangers' })
  authorization = await organizationKey('org')
  stranger = await organizationKey('strangers')
  api = await startApi({ relational: opened.store, keys })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

const create = (body?: unknown) => api.send('POST', path, { authorization, ...(body !== undefined && { body }) })
const list = async () => (await api.send('GET', path, { authorization })).json.apiKeys

test('a key is created without a body, works immediately, is listed without its secret, and is revoked immediately', async () => {
  const made = await create()
  expect([made.status, made.json]).toEqual([
    201,
    {
      ...{ id: expect.any(String), createdAt: expect.any(String), expiresAt: null, name: null, note: null },
      ...{
        publicKey: expect.stringMatching(/^pk-svc-/),
        secretKey: expect.stringMatching(/^sk-svc-/),
        displaySecretKey: expect.any(String),
      },
    },
  ])
  const { id, publicKey, secretKey } = made.json
  const own = basic(publicKey, secretKey)
  expect((await api.send('GET', '/api/public/projects', { authorization: own })).status).toBe(200)
  const listed = (await list()).find((key: { readonly id: string }) => key.id === id)
  expect(listed).toMatchObject({ publicKey, lastUsedAt: expect.any(String) })
  expect(JSON.stringify(listed)).not.toContain(secretKey)
  const removed = await api.send('DELETE', `${path}/${id}`, { authorization })
  expect([removed.status, removed.json]).toEqual([200, { success: true }])
  expect((await api.send('GET', '/api/public/projects', { authorization: own })).status).toBe(401)
  expect((await list()).map((key: { readonly id: string }) => key.id)).not.toContain(id)
  expect((await api.send('DELETE', `${path}/${id}`, { authorization })).status).toBe(404)
  const entries = await opened.store.db
    .selectFrom('audit_logs')
    .select(['action', 'resource_type', 'org_id', 'project_id'])
    .where('resource_id', '=', id)
    .orderBy('created_at')
    .execute()
  const entry = { resource_type: 'apiKey', org_id: 'org', project_id: 'project-0' }
  expect(entries).toEqual([
    { ...entry, action: 'create' },
    { ...entry, action: 'delete' },
  ])
})

test('a key may have a name, an expiry and a given key pair', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const pair = { publicKey: 'pk-svc-chosen', secretKey: 'sk-svc-chosen-by-us' }
  const made = await create({ name: 'CI', expiresAt, ...pair })
  expect(made.json).toMatchObject({ name: 'CI', note: 'CI', expiresAt, ...pair })
  expect(await list()).toContainEqual(expect.objectContaining({ name: 'CI', expiresAt }))
  expect((await create(pair)).status).toBe(409)
  expect((await create({ note: 'older form' })).json.name).toBe('older form')
})

test.each([
  [{ name: '', note: '' }, 'note'],
  [{ expiresAt: new Date(Date.now() - 1_000).toISOString() }, 'expiresAt'],
  [{ expiresAt: 'tomorrow' }, 'expiresAt'],
  [{ publicKey: 'pk-svc-alone' }, 'secretKey'],
  [{ publicKey: 'pk-other', secretKey: 'sk-svc-x-x-x-x' }, 'publicKey'],
])('%j is refused with its field', async (body, field) => {
  const answer = await create(body)
  expect([answer.status, answer.json.details.map((issue: { readonly path: readonly string[] }) => issue.path[0])]).toEqual([400, [field]])
})

test('an organization lists only its own projects and keys', async () => {
  const projects = await api.send('GET', '/api/public/organizations/projects', { authorization })
  expect(projects.json.projects).toContainEqual({
    ...{ id: 'project-0', name: expect.any(String), metadata: null, createdAt: expect.any(String), updatedAt: expect.any(String) },
  })
  const own = await api.send('GET', '/api/public/organizations/apiKeys', { authorization })
  expect(own.json.apiKeys).toHaveLength(1)
  expect(own.json.apiKeys[0]).toMatchObject({ publicKey: expect.stringMatching(/^pk-/), note: null })
  expect((await api.send('GET', '/api/public/organizations/projects', { authorization: stranger })).json).toEqual({ projects: [] })
})

test('another organization gets 404 for the project', async () => {
  const [key] = await list()
  for (const [method, at] of [
    ['GET', path],
    ['POST', path],
    ['DELETE', `${path}/${key.id}`],
  ] as const) {
    const answer = await api.send(method, at, { authorization: stranger })
    expect([answer.status, answer.json]).toEqual([404, { message: "Project not found or you don't have access to it" }])
  }
})

import { readDeletions } from '@svc-server/relational/deletions'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import { readRetentions } from '@svc-server/relational/retentions'
import { instance } from '@svc-server/relational/tenancy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, startApi, type TestApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

const path = '/api/public/projects'

let opened: OpenedDatasets
let keys: KeyStore
let api: TestApi
let organization: string
let stranger: string
beforeAll(async () => {
  opened = await openDatasets()
  keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  await keys.createOrganization({ id: 'stranger', name: 'stranger' })
  organization = await authorizationOf({ orgId: 'org' })
  stranger = await authorizationOf({ orgId: 'stranger' })
  api = await startApi({ relational: opened.store, keys })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

async function authorizationOf(owner: { readonly projectId: string } | { readonly orgId: string }) {
  const { publicKey, secretKey } = await keys.createKeyPair({ owner })
  return basic(publicKey, secretKey)
}

test('a project is created, changed and read: metadata is an object or its JSON text, and absent keys stay unchanged', async () => {
  const ofOrganization = { organization: { id: 'org', name: 'org' } }
  const made = await api.send('POST', path, { authorization: organization, body: { name: 'Chat', metadata: { a: 'é' }, retention: 30 } })
  const { id } = made.json
  const told = { id, ...ofOrganization, metadata: { a: 'é' }, retentionDays: 30 }
  expect([made.status, made.json]).toEqual([201, { ...told, name: 'Chat', id: expect.any(String) }])
  const put = (body: unknown, authorization = organization) => api.send('PUT', `${path}/${id}`, { authorization, body })
  const renamed = await put({ name: 'Chat 2', unknown: 1 })
  expect([renamed.status, renamed.json]).toEqual([200, { ...told, name: 'Chat 2' }])
  expect((await put({ name: 'Chat 2', metadata: '{"b":[1]}', retention: 3 })).json).toEqual({
    ...told,
    name: 'Chat 2',
    metadata: { b: [1] },
    retentionDays: 3,
  })
  expect(await readRetentions(instance(opened.store))).toEqual([{ projectId: id, retentionDays: 3 }])

  const read = await api.send('GET', path, { authorization: await authorizationOf({ projectId: id }) })
  const project = { id, name: 'Chat 2', metadata: { b: [1] }, retentionDays: 3, ...ofOrganization }
  expect([read.status, read.json]).toEqual([200, { data: [project] }])
  expect((await put({ name: 'Chat 2', retention: 0 })).json).toEqual({ id, ...ofOrganization, name: 'Chat 2', metadata: { b: [1] } })
  expect((await put({ name: 'project-0' })).status).toBe(409)
  expect((await api.send('POST', path, { authorization: organization, body: { name: 'Chat 2' } })).status).toBe(409)
  const refused = await put({ name: 'Mine' }, stranger)
  expect([refused.status, refused.json]).toEqual([404, { message: "Project not found or you don't have access to it" }])
})

test.each<[string, unknown]>([
  ['retention', { name: 'abc', retention: 1 }],
  ['retention', { name: 'abc', retention: 2.5 }],
  ['retention', { name: 'abc', retention: -3 }],
  ['retention', { name: 'abc', retention: '30' }],
  ['retention', { name: 'abc', retention: 1e9 }],
  ['metadata', { name: 'abc', metadata: '[1]' }],
  ['metadata', { name: 'abc', metadata: '{' }],
  ['metadata', { name: 'abc', metadata: `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}` }],
  ['metadata', { name: 'abc', metadata: [1] }],
  ['name', { name: 'ab' }],
  ['name', { name: 'x'.repeat(61) }],
  ['name', { name: '<b>bold</b>' }],
  ['name', { name: 'nul\0' }],
  ['name', {}],
])('a wrong %s is refused with its path', async (field, body) => {
  const answer = await api.send('POST', path, { authorization: organization, body })
  expect([answer.status, answer.json]).toEqual([
    400,
    { message: 'Invalid request data', details: [expect.objectContaining({ path: [field] })] },
  ])
})

test('only the key of an organization may write projects', async () => {
  const project = await authorizationOf({ projectId: 'project-0' })
  for (const [method, at] of [
    ['POST', path],
    ['PUT', `${path}/project-0`],
    ['DELETE', `${path}/project-0`],
  ] as const) {
    const status = async (authorization: string | null) => (await api.send(method, at, { authorization })).status
    expect([await status(null), await status(basic('pk', 'wrong-secret')), await status(project), await status('Bearer pk')]).toEqual([
      401, 401, 403, 401,
    ])
  }
  expect((await api.send('GET', path, { authorization: organization })).status).toBe(403)
  expect((await api.send('PATCH', `${path}/project-0`, { authorization: organization })).status).toBe(405)
  const form = await api.send('POST', path, { authorization: organization, body: 'a=b', headers: { 'content-type': 'text/plain' } })
  expect([form.status, form.json]).toEqual([415, { message: expect.any(String) }])
  expect((await api.send('POST', path, { authorization: organization, body: ' '.repeat(1_000_001) })).status).toBe(413)
})

test('a deletion revokes the keys immediately, is recorded and sent as a command; a retry gets the same response', async () => {
  const { id } = await keys.createProject({ orgId: 'org', name: 'doomed' })
  const authorization = await authorizationOf({ projectId: id })
  const remove = (by: string, project = id) => api.send('DELETE', `${path}/${project}`, { authorization: by })
  expect((await api.send('GET', path, { authorization })).status).toBe(200)
  expect((await remove(stranger)).status).toBe(404)
  expect((await remove(organization, 'nobody')).status).toBe(404)
  expect((await remove(organization, '%00')).status).toBe(404)
  expect((await api.send('GET', path, { authorization })).status).toBe(200)
  for (let times = 0; times < 2; times++) {
    const answer = await remove(organization)
    expect([answer.status, answer.json]).toEqual([202, { success: true, message: expect.any(String) }])
  }
  expect((await api.send('GET', path, { authorization })).status).toBe(401)
  expect((await api.send('DELETE', '/api/public/traces/a', { authorization })).status).toBe(401)
  expect((await keys.listProjects()).map(project => project.id)).not.toContain(id)
  for await (const batch of readDeletions(instance(opened.store)))
    expect(batch).toMatchObject([{ projectId: id, traceId: null, isDone: false }])
  const command = { projectId: id, kind: 'delete_project', traceId: null, value: null }
  expect(await api.commands()).toMatchObject([command, command])
  expect((await api.send('PUT', `${path}/${id}`, { authorization: organization, body: { name: 'alive' } })).status).toBe(404)
})

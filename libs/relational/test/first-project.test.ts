import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyStore } from '../src/keys/key-store.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { storeKinds } from './stores.ts'

describe.each(storeKinds)('ensureProject on $kind', ({ open: openStore }) => {
  let store: RelationalStore
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.close())

  const open = (options: { salt?: string } = {}) => createKeyStore(store, { salt: 'pepper-pepper', ...options })

  const init = () => {
    const id = randomUUID()
    return { orgId: `org-${id}`, projectId: `project-${id}`, publicKey: `pk-svc-${id}`, secretKey: `sk-svc-${id}` }
  }

  test('creates organization, project and key, and creates nothing the second time', async () => {
    const keys = open()
    const wanted = init()
    const ids = { orgId: wanted.orgId, projectId: wanted.projectId }
    expect(await keys.ensureProject(wanted)).toEqual({ ...ids, createdProject: true, createdKey: true, takenAway: null })
    expect(await keys.ensureProject(wanted)).toEqual({ ...ids, createdProject: false, createdKey: false, takenAway: null })
    expect(await open({ salt: 'another-salt' }).ensureProject(wanted)).toMatchObject({ createdKey: false })
    expect(await keys.listKeys({ projectId: wanted.projectId })).toHaveLength(1)
    expect(await keys.verify(wanted.publicKey, wanted.secretKey)).toMatchObject({ projectId: wanted.projectId })
  })

  test('concurrent starts create one of each', async () => {
    const wanted = init()
    const results = await Promise.all([1, 2, 3].map(() => open().ensureProject(wanted)))
    expect(results.filter(result => result.createdProject)).toHaveLength(1)
    expect(results.filter(result => result.createdKey)).toHaveLength(1)
  })

  test('creates a project without keys, and adds them later', async () => {
    const keys = open()
    const { orgId, projectId, publicKey, secretKey } = init()
    expect(await keys.ensureProject({ orgId, projectId })).toMatchObject({ createdProject: true, createdKey: false })
    expect(await keys.ensureProject({ orgId, projectId, publicKey, secretKey })).toMatchObject({
      createdProject: false,
      createdKey: true,
    })
  })

  test('names the variables that contradict the stored rows, and shows no secret', async () => {
    const keys = open()
    const wanted = init()
    await keys.ensureProject(wanted)
    const refused = async (changes: Partial<typeof wanted>, variable: string) => {
      const failure = keys.ensureProject({ ...wanted, ...changes })
      await expect(failure).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining(variable) })
      await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining('sk-svc') })
    }
    await refused({ secretKey: 'sk-svc-something-else' }, 'SVC_INIT_PROJECT_SECRET_KEY')
    await refused({ publicKey: 'pk-svc-new' }, 'already exists')
    await refused({ orgId: 'other-org' }, 'SVC_INIT_ORG_ID')
    await refused({ projectId: randomUUID() }, 'SVC_INIT_PROJECT_PUBLIC_KEY')
    await refused({ publicKey: 'pk:svc', secretKey: 'sk-svc-new-new' }, 'no colon')
    await expect(keys.ensureProject({ orgId: 'o', projectId: 'p', publicKey: 'pk' })).rejects.toMatchObject({ code: 'config_invalid' })
    await expect(keys.ensureProject({ orgId: 'o', projectId: 'p', secretKey: 'sk' })).rejects.toMatchObject({ code: 'config_invalid' })
  })

  test('does not restore a revoked key, and reports that', async () => {
    const keys = open()
    const wanted = init()
    await keys.ensureProject(wanted)
    await keys.revoke(wanted.publicKey)
    expect(await keys.ensureProject(wanted)).toMatchObject({ createdProject: false, createdKey: false, takenAway: 'key' })
    expect(await keys.verify(wanted.publicKey, wanted.secretKey)).toBeNull()
    const elsewhere = keys.ensureProject({ ...wanted, projectId: randomUUID() })
    await expect(elsewhere).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('belongs to a different project'),
    })
  })

  test('does not restore a deleted project, and reports that', async () => {
    const keys = open()
    const wanted = init()
    await keys.ensureProject(wanted)
    await store.db.updateTable('projects').set({ deleted_at: new Date() }).where('id', '=', wanted.projectId).execute()
    expect(await keys.ensureProject(wanted)).toMatchObject({ createdProject: false, createdKey: false, takenAway: 'project' })
    expect(await keys.verify(wanted.publicKey, wanted.secretKey)).toBeNull()
  })
})

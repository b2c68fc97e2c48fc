// v3's table `projects` can contain ids with a slash. This server rejects such ids, and therefore rejects the keys of these projects.
import { randomUUID } from 'node:crypto'
import { manualClock } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthenticator } from '../src/authentication/authenticator.ts'
import { createKeyStore } from '../src/keys/key-store.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { storeKinds } from './stores.ts'

const clock = manualClock()

describe.each(storeKinds)('on $kind', ({ open }) => {
  let store: RelationalStore
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  test('rejects keys of a project whose id, inserted by SQL, contains a slash', async () => {
    const keys = createKeyStore(store, { salt: 'pepper-pepper', clock: clock.now })
    const { id: orgId } = await keys.createOrganization({ name: 'Org' })
    const projectId = `${randomUUID()}/1`
    await store.db.insertInto('projects').values({ id: projectId, org_id: orgId, name: 'x' }).execute()
    const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId } })
    const authenticate = createAuthenticator(keys, { clock: clock.now })
    const header = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'key_scope', message: expect.stringContaining('slash') })
  })
})

import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { manualClock } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { createAuthenticator } from '../src/authentication/authenticator.ts'
import { createKeyStore } from '../src/keys/key-store.ts'
import type { KeyChange, KeyScope } from '../src/keys/key-types.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { storeKinds } from './stores.ts'

const salt = 'pepper-pepper'
const clock = manualClock()

describe.each(storeKinds)('on $kind', ({ open: openStore }) => {
  let store: RelationalStore
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.close())

  const open = (options: { salt?: string } = {}) => createKeyStore(store, { salt, clock: clock.now, ...options })

  const newProject = async () => {
    const keys = open()
    const organization = await keys.createOrganization({ name: 'Org' })
    const project = await keys.createProject({ orgId: organization.id, name: 'Project' })
    return { keys, orgId: organization.id, projectId: project.id }
  }

  const rowOf = (id: string) => store.db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test.each(['', 'a/../b', '..', 'a b', 'a\n', 'ä', 'x'.repeat(65), 'a/b', '%2e'])(
    'rejects %j as the id of a project or an organization',
    async id => {
      const { keys, orgId } = await newProject()
      const before = (await keys.listProjects()).length
      const refused = { code: 'bad_request' }
      await expect(keys.createProject({ id, orgId, name: 'x' })).rejects.toMatchObject(refused)
      await expect(keys.createOrganization({ id, name: 'x' })).rejects.toMatchObject(refused)
      await expect(keys.ensureProject({ orgId, projectId: id })).rejects.toMatchObject(refused)
      await expect(keys.ensureProject({ orgId: id, projectId: randomUUID() })).rejects.toMatchObject(refused)
      expect(await keys.listProjects()).toHaveLength(before)
    },
  )

  test('rejects a key 30 s after a different process revoked it, even if the key is in constant use', async () => {
    const { keys, projectId } = await newProject()
    const { publicKey, secretKey, id } = await keys.createKeyPair({ owner: { projectId } })
    const header = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
    // This key store stands for another process. It does not learn of changes that the first key store makes.
    let answers = true
    const elsewhere = open()
    const verify: typeof elsewhere.verify = (...credential) =>
      answers ? elsewhere.verify(...credential) : Promise.reject(new AppError('relational_unavailable', 'Down.'))
    const authenticate = createAuthenticator({ ...elsewhere, verify }, { clock: clock.now })
    const letIn = () =>
      authenticate(header).then(
        scope => scope.apiKeyId === id,
        () => false,
      )
    expect(await letIn()).toBe(true)
    await keys.revoke(id)
    for (let second = 1; second < 15; second++) {
      clock.advance(1_000)
      expect(await letIn()).toBe(true)
    }
    clock.advance(16_000)
    expect(await letIn()).toBe(false)

    // The rest of this test simulates an outage of the relational store. During the outage, the authenticator can accept a revoked key for
    // up to a quarter of an hour.
    const other = await keys.createKeyPair({ owner: { projectId } })
    const otherHeader = `Basic ${Buffer.from(`${other.publicKey}:${other.secretKey}`).toString('base64')}`
    await authenticate(otherHeader)
    await keys.revoke(other.id)
    answers = false
    clock.advance(899_999)
    expect(await authenticate(otherHeader)).toMatchObject({ apiKeyId: other.id })
    clock.advance(1)
    await expect(authenticate(otherHeader)).rejects.toMatchObject({ code: 'relational_unavailable' })
  })

  describe('key pairs', () => {
    test('are created with a secret that is returned once and stored only as hashes', async () => {
      const { keys, projectId, orgId } = await newProject()
      const pair = await keys.createKeyPair({ owner: { projectId }, note: 'ci' })
      expect(pair.publicKey).toMatch(/^pk-svc-[0-9a-f-]{36}$/)
      expect(pair.secretKey).toMatch(/^sk-svc-[0-9a-f-]{36}$/)
      expect(JSON.stringify(await rowOf(pair.id))).not.toContain(pair.secretKey)
      const { secretKey: _, ...summary } = pair
      expect(await keys.listKeys({ projectId })).toEqual([summary])
      expect(summary).toMatchObject({ scope: 'project', orgId, projectId, note: 'ci', lastUsedAt: null, expiresAt: null, revokedAt: null })
      expectTypeOf<Awaited<ReturnType<typeof keys.listKeys>>[number]>().not.toHaveProperty('secretKey')
    })

    test('of an organization have no project', async () => {
      const { keys, orgId, projectId } = await newProject()
      const pair = await keys.createKeyPair({ owner: { orgId } })
      await keys.createKeyPair({ owner: { projectId } })
      expect(await keys.verify(pair.publicKey, pair.secretKey)).toMatchObject({ accessLevel: 'organization', orgId, projectId: null })
      expect(await keys.listKeys({ orgId })).toHaveLength(2)
    })

    test.each([
      ['one half', { publicKey: 'pk-svc-1' }],
      ['a colon in the public key', { publicKey: 'pk:1', secretKey: 'sk-svc-12345678' }],
      ['a blank', { publicKey: 'pk 1', secretKey: 'sk-svc-12345678' }],
      ['a short secret', { publicKey: 'pk-1', secretKey: 'short' }],
    ])('reject a given key with %s', async (_, given) => {
      const { keys, projectId } = await newProject()
      await expect(keys.createKeyPair({ owner: { projectId }, ...given })).rejects.toMatchObject({ code: 'bad_request' })
    })

    test('are rejected if a key is taken or the owner is unknown', async () => {
      const { keys, projectId } = await newProject()
      const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId } })
      const again = { publicKey, secretKey: 'sk-svc-another' }
      await expect(keys.createKeyPair({ owner: { projectId }, ...again })).rejects.toMatchObject({ code: 'bad_request' })
      await expect(keys.createKeyPair({ owner: { projectId }, publicKey: 'pk-x', secretKey })).rejects.toMatchObject({
        code: 'bad_request',
      })
      await expect(keys.createKeyPair({ owner: { projectId: 'none' } })).rejects.toMatchObject({ code: 'bad_request' })
      await expect(keys.createKeyPair({ owner: { orgId: 'none' } })).rejects.toMatchObject({ code: 'bad_request' })
      await expect(keys.createProject({ orgId: 'none', name: 'x' })).rejects.toMatchObject({ code: 'bad_request' })
      await expect(keys.createProject({ id: projectId, orgId: 'none', name: 'x' })).rejects.toMatchObject({ code: 'bad_request' })
    })
  })

  describe('verify', () => {
    test('returns the scope of a key', async () => {
      const { keys, orgId, projectId } = await newProject()
      const { publicKey, secretKey, id } = await keys.createKeyPair({ owner: { projectId } })
      expect(await keys.verify(publicKey, secretKey)).toEqual({
        accessLevel: 'project',
        orgId,
        projectId,
        apiKeyId: id,
        publicKey,
      } satisfies KeyScope)
    })

    test('uses only the secret, and returns the scope of the secret even with a different public key', async () => {
      const { keys, projectId } = await newProject()
      const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId } })
      const other = await newProject()
      const otherPair = await other.keys.createKeyPair({ owner: { projectId: other.projectId } })
      expect(await keys.verify(otherPair.publicKey, secretKey)).toMatchObject({ projectId, publicKey })
      expect(await keys.verify('pk-svc-unknown', secretKey)).toMatchObject({ projectId, publicKey })
      expect(await keys.verify(publicKey, 'sk-svc-wrong-secret')).toBeNull()
      expect(await keys.verify('pk\0', 'sk-svc-wrong-secret')).toBeNull()
    })

    test('rejects keys that are revoked, expired, or of a deleted project', async () => {
      const { keys, projectId } = await newProject()
      const revoked = await keys.createKeyPair({ owner: { projectId } })
      expect(await keys.revoke(revoked.publicKey)).toBe(true)
      expect(await keys.revoke(revoked.id)).toBe(false)
      expect(await keys.verify(revoked.publicKey, revoked.secretKey)).toBeNull()

      const expiring = await keys.createKeyPair({ owner: { projectId }, expiresAt: new Date(clock.now() + 1000) })
      expect(await keys.verify(expiring.publicKey, expiring.secretKey)).toMatchObject({ expiresAtMs: clock.now() + 1000 })
      clock.advance(1000)
      expect(await keys.verify(expiring.publicKey, expiring.secretKey)).toBeNull()

      const orphan = await keys.createKeyPair({ owner: { projectId } })
      await store.db.updateTable('projects').set({ deleted_at: new Date() }).where('id', '=', projectId).execute()
      expect(await keys.verify(orphan.publicKey, orphan.secretKey)).toBeNull()
      expect((await keys.listProjects()).map(project => project.id)).not.toContain(projectId)
    })

    test('after a change of the salt, verifies a key by the slow hash and renews the fast hash', async () => {
      const { keys, projectId } = await newProject()
      const { publicKey, secretKey, id } = await keys.createKeyPair({ owner: { projectId } })
      const before = await rowOf(id)
      const resalted = open({ salt: 'another-salt' })
      expect(await resalted.verify(publicKey, 'sk-svc-wrong-secret')).toBeNull()
      expect(await resalted.verify('pk-svc-unknown', secretKey)).toBeNull()
      expect(await resalted.verify(publicKey, secretKey)).toMatchObject({ apiKeyId: id })
      const after = await rowOf(id)
      expect(after.fast_hashed_secret_key).not.toBe(before.fast_hashed_secret_key)
      expect(after.hashed_secret_key).toBe(before.hashed_secret_key)
      expect(await resalted.verify('pk-svc-unknown', secretKey)).toMatchObject({ apiKeyId: id })
    })

    test('a key without a fast hash gets one at its first use', async () => {
      const { keys, projectId } = await newProject()
      const { publicKey, secretKey, id } = await keys.createKeyPair({ owner: { projectId } })
      await store.db.updateTable('api_keys').set({ fast_hashed_secret_key: null, fast_hash_salt_id: null }).where('id', '=', id).execute()
      expect(await keys.verify(publicKey, secretKey)).toMatchObject({ apiKeyId: id })
      expect((await rowOf(id)).fast_hashed_secret_key).toMatch(/^[0-9a-f]{64}$/)
    })

    test('a wrong secret for a known public key does not cost a slow hash', async () => {
      const { keys, projectId } = await newProject()
      const { publicKey, id } = await keys.createKeyPair({ owner: { projectId } })
      // The stored slow hash is the hash of the wrong secret. If the key store checked the slow hash, it would accept the wrong secret.
      const { hashed_secret_key } = await rowOf(
        (await keys.createKeyPair({ owner: { projectId }, publicKey: `pk-${id}`, secretKey: `sk-wrong-${id}` })).id,
      )
      await store.db.deleteFrom('api_keys').where('public_key', '=', `pk-${id}`).execute()
      await store.db.updateTable('api_keys').set({ hashed_secret_key }).where('id', '=', id).execute()
      expect(await keys.verify(publicKey, `sk-wrong-${id}`)).toBeNull()
    })

    test('updates the time of the last use at most hourly', async () => {
      const { keys, projectId } = await newProject()
      const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId } })
      const lastUse = async () => (await keys.listKeys({ projectId }))[0]?.lastUsedAt?.getTime()
      const first = clock.now()
      await keys.verify(publicKey, secretKey)
      expect(await lastUse()).toBe(first)
      clock.advance(3_599_999)
      await keys.verify(publicKey, secretKey)
      expect(await lastUse()).toBe(first)
      clock.advance(1)
      await keys.verify(publicKey, secretKey)
      expect(await lastUse()).toBe(first + 3_600_000)
    })
  })

  test('notifies listeners of created and revoked keys', async () => {
    const { keys, projectId } = await newProject()
    const changes: KeyChange[] = []
    const stop = keys.onChange(change => changes.push(change))
    const { id } = await keys.createKeyPair({ owner: { projectId } })
    await keys.revoke(id)
    stop()
    await keys.createKeyPair({ owner: { projectId } })
    expect(changes).toEqual([
      { kind: 'created', apiKeyId: id },
      { kind: 'revoked', apiKeyId: id },
    ])
  })
})

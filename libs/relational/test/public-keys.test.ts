// Browsers have only the public key. With the public key alone, a client can only send scores.
import { describe, expect, test } from 'vitest'
import { createKeyStore } from '../src/keys/key-store.ts'
import type { KeyScope } from '../src/keys/key-types.ts'
import { scope, setup } from './authenticating.ts'
import { storeKinds } from './stores.ts'

describe.each(storeKinds)('on $kind', ({ open }) => {
  test('only a valid public key of a project has the scope scores', async () => {
    const store = await open()
    try {
      let nowMs = Date.now()
      const keys = createKeyStore(store, { salt: 'a salt of sixteen', clock: () => nowMs })
      await keys.createOrganization({ id: 'o', name: 'o' })
      await keys.createProject({ id: 'p', orgId: 'o', name: 'p' })
      const own = await keys.createKeyPair({ owner: { projectId: 'p' } })
      const ends = await keys.createKeyPair({ owner: { projectId: 'p' }, expiresAt: new Date(nowMs + 1000) })
      const organization = await keys.createKeyPair({ owner: { orgId: 'o' } })
      expect(await keys.verifyPublicKey(own.publicKey)).toMatchObject({ accessLevel: 'scores', projectId: 'p', publicKey: own.publicKey })
      expect(await keys.verifyPublicKey(ends.publicKey)).toMatchObject({ accessLevel: 'scores' })
      nowMs += 1000
      for (const text of [ends.publicKey, organization.publicKey, own.secretKey, 'pk-svc-unknown', '', '\0', 'x'.repeat(300)]) {
        expect(await keys.verifyPublicKey(text), text).toBe(null)
      }
      await keys.revoke(own.id)
      expect(await keys.verifyPublicKey(own.publicKey)).toBe(null)
    } finally {
      await store.close()
    }
  })
})

describe('the authenticator', () => {
  const known: KeyScope = { ...scope, accessLevel: 'scores' }
  const takes = () => {
    const asked: string[] = []
    const set = setup({
      verifyPublicKey: async publicKey => {
        asked.push(publicKey)
        return publicKey === 'pk-svc-1' ? known : null
      },
    })
    return { ...set, askedAlone: asked }
  }

  test('queries once for a public key, and caches it separately from the key pair', async () => {
    const { authenticate, askedAlone, asked } = takes()
    expect(await authenticate('Bearer pk-svc-1')).toBe(known)
    expect(await authenticate('Bearer pk-svc-1')).toBe(known)
    expect([askedAlone, asked]).toEqual([['pk-svc-1'], []])
  })

  test.each(['Bearer', 'Bearer ', 'Bearer pk-svc-1 more', 'Bearer sk-svc-1'])('%j is unknown', async header => {
    const { authenticate } = takes()
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'key_unknown' })
  })

  test('wrong public keys do not back off, because there is no secret to guess', async () => {
    const { authenticate } = takes()
    for (let i = 0; i < 20; i++) await expect(authenticate(`Bearer pk-${i}`, '192.0.2.1')).rejects.toMatchObject({ code: 'key_unknown' })
    expect(await authenticate('Bearer pk-svc-1', '192.0.2.1')).toBe(known)
  })
})

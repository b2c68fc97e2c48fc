import { describe, expect, test } from 'vitest'
import { type Arrival, listArrivals, writeArrivals } from '../../src/arrivals/repository.ts'
import { createKeyStore } from '../../src/keys/key-store.ts'
import { instance } from '../../src/tenancy/handles.ts'
import type { OpenedProjects } from '../projects.ts'

const arrival = (publicKey: string, more: Partial<Arrival> = {}): Arrival => ({
  ...{ publicKey, outcome: 'accepted', reason: '', message: '', status: 200, spans: 2, traceId: 'a'.repeat(32) },
  ...{ receivedAtMs: 1_000, loggedAtMs: 1_005, requests: 1 },
  ...more,
})
const refused = { outcome: 'refused', reason: 'key_unknown', status: 401, spans: 0, traceId: null, loggedAtMs: null } as const

export const arrivals = (opened: () => OpenedProjects) =>
  describe('arrivals', () => {
    test('belong to the project of their key, and unknown keys and keys of organizations to nobody', async () => {
      const { project, other, store } = opened()
      const all = instance(store)
      const keys = createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' })
      const own = await keys.createKeyPair({ owner: { projectId: 'p' } })
      const ofOther = await keys.createKeyPair({ owner: { projectId: 'q' } })
      const ofOrganization = await keys.createKeyPair({ owner: { orgId: 'o' } })
      await writeArrivals(all, [
        arrival(own.publicKey),
        arrival(own.publicKey, { ...refused, receivedAtMs: 2_000 }),
        arrival(ofOther.publicKey),
        arrival(ofOrganization.publicKey, refused),
        arrival('pk-of-nobody', refused),
      ])
      expect(await listArrivals(project, 10)).toEqual([arrival(own.publicKey, { ...refused, receivedAtMs: 2_000 }), arrival(own.publicKey)])
      expect(await listArrivals(other, 10)).toEqual([arrival(ofOther.publicKey)])
      const newer = arrival(own.publicKey, { traceId: 'b'.repeat(32), receivedAtMs: 3_000, loggedAtMs: 3_001, requests: 4 })
      await writeArrivals(all, [newer])
      expect(await listArrivals(project, 1)).toEqual([{ ...newer, requests: 5 }])
    })
  })

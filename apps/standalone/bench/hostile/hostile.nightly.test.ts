// Attacks a standalone with bytes that no client library sends. `npm run bench -- hostile` prints the measurements.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { underAttack } from './attack.ts'
import { type HostileInstance, startHostileInstance } from './instance.ts'
import { kinds } from './kinds.ts'
import { watchNeighbor } from './neighbor.ts'

let hostile: HostileInstance
beforeAll(async () => {
  hostile = await startHostileInstance()
  await watchNeighbor(hostile.instance, hostile.authorization, 3)
}, 120_000)
afterAll(() => hostile.stop(), 60_000)

test.each(Object.keys(kinds))(
  '%s: the neighbor’s p99 is below 1.5 s, probes answer, and all processes together stay below 4 GB',
  async kind => {
    const { instance, authorization } = hostile
    const { during } = await underAttack(instance, kind, () => watchNeighbor(instance, authorization, 10))
    expect(during.posts.p99).toBeLessThan(1500)
    expect(during.failed).toBe(0)
    expect(during.peakMiB).toBeLessThan(4 * 1024)
  },
  60_000,
)

import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestStore, startTestEngine } from '../test-store.ts'
import type { Length } from './plan.ts'
import { runHistory } from './run.ts'

export function describeHistories(all: readonly number[], of: Length): void {
  let it: Awaited<ReturnType<typeof startTestEngine>>
  let columnStore: Awaited<ReturnType<typeof createTestStore>>
  beforeAll(async () => {
    it = await startTestEngine()
    columnStore = await createTestStore(it.engine)
  })
  afterAll(async () => {
    await columnStore.close()
    await it.stop()
  })

  describe.each(of.kinds.map((kind, at) => [kind, at] as const))('F42 · F43 · F44 · %s', (_, at) => {
    const seeds = all.filter(seed => seed % of.kinds.length === at)
    test(`every sent span is a row or a dead letter, every entity has its rows, and a deleted row is reported as missing: histories ${seeds.join(', ')}`, async () => {
      for (const seed of seeds) {
        await waitFor(() => columnStore.query('SELECT 1').catch(() => null), { what: 'the engine' })
        const { plan, found, entities, findings, gauge } = await runHistory(it.engine, columnStore, seed, of)
        const { lost, surplus, both, expected, raw } = found
        expect({ seed, lost, surplus }).toEqual({ seed, lost: [], surplus: [] })
        expect({ seed, lost: entities.lost, surplus: entities.surplus }).toEqual({ seed, lost: [], surplus: [] })
        expect({ seed, findings }).toEqual({ seed, findings: [] })
        expect(gauge).not.toBe(0)
        if (plan.kind === 'steady') {
          expect({ seed, ...raw }).toEqual({ seed, full: expected, core: expected })
          expect({ seed, doubled: entities.doubled }).toEqual({ seed, doubled: [] })
        }
        if (plan.kind !== 'offset moved back' && plan.kind !== 'log recreated') expect({ seed, both }).toEqual({ seed, both: [] })
      }
    }, 3_600_000)
  })
}

// Compares random histories of a propagator with a model. The model shares no code with the propagator. A failing run prints its seed.
import { sized } from '@svc-server/testkit'
import { describe, test } from 'vitest'
import { disturbedRun } from './disturbed-run.ts'

const seeds = (what: string, count: number) => Array.from({ length: count }, (_, index) => `${what} ${index}`)

describe.concurrent('F23 F24 F25 · random histories are filled as in the model', () => {
  test.for(seeds('undisturbed', sized(30, 2)))('%s', { timeout: 180_000 }, async (seed, { expect }) => {
    const { problems, repaired, republished, exits, traceWindows } = await disturbedRun({
      seed,
      traces: 40,
      slots: 14,
      maxSpans: 7,
      disturbances: 0,
    })
    expect(problems).toEqual([])
    expect(repaired).toBeGreaterThan(0)
    expect(republished).toBe(repaired)
    expect(exits).toBe(traceWindows)
  })

  test.for(seeds('disturbed', sized(30, 4)))('%s', { timeout: 180_000 }, async (seed, { expect }) => {
    const { problems, happened } = await disturbedRun({ seed, traces: 40, slots: 14, maxSpans: 7, disturbances: 0.5 })
    expect(problems, happened.join(', ')).toEqual([])
    expect(happened).not.toEqual([])
  })
})

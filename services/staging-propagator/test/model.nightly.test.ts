import { describe, test } from 'vitest'
import { disturbedRun } from './disturbed-run.ts'

describe.concurrent('F23 F24 F25 · many random histories are filled as in the model', () => {
  test.for(Array.from({ length: 300 }, (_, index) => `nightly ${index}`))('%s', { timeout: 600_000 }, async (seed, { expect }) => {
    const { problems, happened } = await disturbedRun({ seed, traces: 80, slots: 30, maxSpans: 12, disturbances: 0.5 })
    expect(problems, happened.join(', ')).toEqual([])
  })
})

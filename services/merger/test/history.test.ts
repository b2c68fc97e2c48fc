// A failing run prints its seed, which repeats the run.
import { writeModes } from '@svc-server/modes/write-mode'
import { sized } from '@svc-server/testkit'
import { describe, test } from 'vitest'
import { mergerHistory } from './history.ts'

const merging = writeModes.filter(mode => mode !== 'events_only')
const seeds = (what: string, count: number) =>
  merging.flatMap(mode => Array.from({ length: count }, (_, at) => [mode, `${what} ${at}`] as const))

describe.concurrent('random histories give the result of a single merge', () => {
  test.for(seeds('undisturbed', sized(3, 1)))('%s, %s', { timeout: 180_000 }, async ([writeMode, seed], { expect }) => {
    const { published, expected, problems, deadLetters } = await mergerHistory({ seed, records: 80, traces: 5, writeMode, disturbances: 0 })
    expect(published).toEqual(expected)
    expect([problems, deadLetters]).toEqual([[], 0])
  })

  test.for(seeds('disturbed', sized(6, 2)))('F23 · %s, %s', { timeout: 180_000 }, async ([writeMode, seed], { expect }) => {
    const { published, expected, problems, happened, deadLetters } = await mergerHistory({
      seed,
      records: 80,
      traces: 5,
      writeMode,
      disturbances: 0.3,
    })
    expect(published, happened.join(', ')).toEqual(expected)
    expect([problems, deadLetters]).toEqual([[], 0])
    expect(happened).not.toEqual([])
  })
})

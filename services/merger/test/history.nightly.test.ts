import { describe, test } from 'vitest'
import { mergerHistory } from './history.ts'

describe('random histories give the result of a single merge', () => {
  test.for(Array.from({ length: 200 }, (_, at) => `nightly ${at}`))('F23 · %s', { timeout: 600_000 }, async (seed, { expect }) => {
    const options = { seed, records: 250, traces: 8, writeMode: 'dual', disturbances: 0.3 } as const
    const { published, expected, problems, happened, deadLetters } = await mergerHistory(options)
    expect(published, happened.join(', ')).toEqual(expected)
    expect([problems, deadLetters]).toEqual([[], 0])
  })
})

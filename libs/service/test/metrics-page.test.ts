import { expect, test } from 'vitest'
import { createMetricsPage } from '../src/probes/metrics-page.ts'

function manualClock() {
  let nowMs = 1_000
  return { now: () => nowMs, advance: (ms: number) => void (nowMs += ms) }
}

const rig = (costMs: number) => {
  const clock = manualClock()
  const pauses: number[] = []
  const renderings: PromiseWithResolvers<void>[] = []
  const page = createMetricsPage(
    async () => {
      const held = Promise.withResolvers<void>()
      renderings.push(held)
      const text = `rendering ${renderings.length}`
      await held.promise
      clock.advance(costMs)
      return text
    },
    {
      now: clock.now,
      async wait(ms) {
        pauses.push(ms)
        clock.advance(ms)
      },
    },
  )
  const settled = () => new Promise(resolve => setImmediate(resolve))
  return { clock, pauses, renderings, page, settled }
}

test('fifty concurrent requests share two renderings', async () => {
  const { page, renderings, settled } = rig(10)
  const first = page()
  await settled()
  const others = Array.from({ length: 50 }, () => page())
  await settled()
  expect(renderings).toHaveLength(1)
  renderings[0]!.resolve()
  expect(String(await first)).toBe('rendering 1')
  await settled()
  renderings[1]!.resolve()
  // These requests arrived during the first rendering. The server must answer them with a later rendering.
  expect(new Set((await Promise.all(others)).map(String))).toEqual(new Set(['rendering 2']))
  expect(renderings).toHaveLength(2)
})

test('renderings take at most a tenth of the elapsed time', async () => {
  const { page, renderings, pauses, clock, settled } = rig(10)
  const startMs = clock.now()
  for (let i = 0; i < 20; i++) {
    const text = page()
    await settled()
    renderings[i]!.resolve()
    expect(String(await text)).toBe(`rendering ${i + 1}`)
  }
  expect(pauses).toEqual(Array(19).fill(90))
  expect((20 * 10) / (clock.now() - startMs)).toBeLessThan(0.11)
})

test('an occasional scrape does not wait, and a failed scrape does not stop the next one', async () => {
  let broken = true
  const clock = manualClock()
  const pauses: number[] = []
  const page = createMetricsPage(
    async () => {
      clock.advance(5)
      if (broken) throw new Error('no')
      return 'text'
    },
    { now: clock.now, wait: async ms => pauses.push(ms) },
  )
  await expect(page()).rejects.toThrow('no')
  broken = false
  clock.advance(15_000)
  expect(String(await page())).toBe('text')
  expect(pauses).toEqual([])
})

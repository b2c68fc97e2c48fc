import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { newestSpans, problemsOf } from './published.ts'
import { hexOf, startUs } from './staged.ts'
import { createWorld } from './world.ts'

test('F28 · windows end by time even when the broker’s clock is set back by an hour and the partition is never idle', async () => {
  await using world = await createWorld({ partitions: 1 })
  const record = (number: number) => ({
    projectId: 'p',
    traceId: hexOf(number % 50, 32),
    spans: [{ spanId: hexOf(number + 1, 16), startUs, says: { 'user.id': `user ${number % 50}` } }],
  })
  await world.stage([record(0)])
  // The broker's clock is set back by an hour. Append times never decrease, so the log then raises them only very slowly.
  world.clock.advance(-3_600_000)
  const { faults, metric } = await world.start()
  let staged = 1
  faults.beforeReading = async () => {
    world.monotonic.advance(20)
    await world.stage([record(staged++)])
  }
  const byTime = () => metric('svc_propagator_windows_total', 'time')
  await waitFor(async () => (await byTime()) > 2, { what: 'windows to end' })
  faults.beforeReading = async () => {}
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(newestSpans(published.spans).size).toBe(staged)
})

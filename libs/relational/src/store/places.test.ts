import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPlaces } from './places.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const unavailable = { code: 'relational_unavailable' }

test('callers get connections in the order of their requests', async () => {
  const places = createPlaces({ places: 2, maxWaiting: 10, waitMs: 1_000 })
  const order: number[] = []
  const taken = Array.from({ length: 6 }, (_, n) => places.take().then(() => order.push(n)))
  await Promise.all(taken.slice(0, 2))
  expect(order).toEqual([0, 1])
  for (let n = 2; n < 6; n++) {
    places.giveBack()
    await taken[n]
    expect(order.at(-1)).toBe(n)
  }
})

test('a caller that waits too long is rejected, and later callers still get all connections', async () => {
  const places = createPlaces({ places: 1, maxWaiting: 10, waitMs: 1_000 })
  await places.take()
  const late = expect(places.take()).rejects.toMatchObject(unavailable)
  await vi.advanceTimersByTimeAsync(1_000)
  await late
  const next = places.take()
  places.giveBack()
  await next
})

test('rejects callers beyond the limit immediately, and reuses returned connections', async () => {
  const places = createPlaces({ places: 1, maxWaiting: 1, waitMs: 1_000 })
  await places.take()
  const waiting = places.take()
  await expect(places.take()).rejects.toMatchObject(unavailable)
  places.giveBack()
  await waiting
  places.giveBack()
  await places.take()
})

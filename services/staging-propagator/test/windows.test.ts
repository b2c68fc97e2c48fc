import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLogClock } from '../src/windows/log-clock.ts'
import { createSchedule } from '../src/windows/schedule.ts'
import { openWindow } from '../src/windows/window.ts'

const windowMs = 180_000
const graceMs = 2_000
const schedule = (partition: number, partitions = 8, now = () => 0) =>
  createSchedule({ windowMs, graceMs, partition, partitions, monotonicNow: now })

test('a window ends after every append time in it, at most a window’s length later, and all append times in it have the same end', () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2e12 }), fc.nat(63), fc.integer({ min: 1, max: 64 }), (timestampMs, partition, partitions) => {
      const { endOf } = schedule(partition % partitions, partitions)
      const endMs = endOf(timestampMs)
      expect(endMs).toBeGreaterThan(timestampMs)
      expect(endMs - timestampMs).toBeLessThanOrEqual(windowMs)
      expect(endOf(endMs - 1)).toBe(endMs)
      expect(endOf(endMs)).toBe(endMs + windowMs)
      expect(endOf(endMs - windowMs)).toBe(endMs)
    }),
  ))

test('the partitions’ windows end at different times, spread evenly over a window', () => {
  const at = Date.UTC(2026, 10, 21)
  const ends = Array.from({ length: 8 }, (_, partition) => (schedule(partition).endOf(at) - at) % windowMs).sort((a, b) => a - b)
  for (const [index, end] of ends.entries()) expect(end - ends[0]!).toBe((index * windowMs) / 8)
})

test('without a later record, a window ends at the log’s time plus the grace, or after a whole window’s time in this process', () => {
  let now = 5_000
  const { isOver, waitMs, endOf } = schedule(0, 1, () => now)
  const endMs = endOf(1)
  const window = openWindow(0, endMs, now)
  expect(isOver(window, null)).toBe(false)
  expect(isOver(window, endMs)).toBe(false)
  expect(isOver(window, endMs + graceMs - 1)).toBe(false)
  expect(isOver(window, endMs + graceMs)).toBe(true)
  // The log's clock is set back by an hour, so the log's time does not reach the end of the window. The window then closes after it has
  // been open for `windowMs + graceMs`.
  now += windowMs + graceMs - 1
  expect(isOver(window, endMs - 3_600_000)).toBe(false)
  now += 1
  expect(isOver(window, endMs - 3_600_000)).toBe(true)
  expect(isOver(window, null)).toBe(true)
  expect(waitMs(window, null)).toBeGreaterThan(0)
})

test('the time to the next check is at least 20 ms and at most 1/18 of a window', () =>
  fc.assert(
    fc.property(fc.nat(2 * windowMs), fc.option(fc.integer({ min: -windowMs, max: 2 * windowMs })), (passed, logNowMs) => {
      const { waitMs } = schedule(0, 1, () => passed)
      const wait = waitMs(openWindow(0, windowMs, 0), logNowMs)
      expect(wait).toBeGreaterThanOrEqual(20)
      expect(wait).toBeLessThanOrEqual(windowMs / 18)
    }),
  ))

test('the log’s clock continues from the records read, and is never ahead of the broker’s clock', () =>
  fc.assert(
    fc.property(
      fc.array(fc.record({ delayMs: fc.nat(5_000), passedMs: fc.nat(10_000), source: fc.constantFrom('staging', 'changelog') })),
      steps => {
        let brokerMs = 1_000_000
        let monotonic = 77
        const clock = createLogClock(() => monotonic)
        expect(clock.now()).toBeNull()
        for (const { delayMs, passedMs, source } of steps) {
          brokerMs += passedMs
          monotonic += passedMs
          clock.seen(source as 'staging', brokerMs - delayMs)
          expect(clock.now()).toBeLessThanOrEqual(brokerMs)
          expect(clock.now()).toBeGreaterThanOrEqual(brokerMs - delayMs)
        }
      },
    ),
  ))

test('F28 · the log’s clock follows a broker’s clock that was set back once records of both topics were read', () => {
  let monotonic = 0
  const clock = createLogClock(() => monotonic)
  clock.seen('changelog', 10_000)
  clock.seen('staging', 10_000)
  monotonic += 500
  clock.seen('staging', 4_000)
  expect(clock.now()).toBe(10_500)
  clock.seen('changelog', 4_100)
  expect(clock.now()).toBe(4_100)
  monotonic += 50
  expect(clock.now()).toBe(4_150)
})

// If an operator sets the clock back or forward, a later record must still have a later time. This also applies to records of different
// partitions.
import { describe, expect, test } from 'vitest'
import { type AppendTime, nextAppendTime } from '../../src/embedded/append-time.ts'
import { collect, done, keyless, readAll, topic, waitFor } from '../conformance/harness.ts'
import { openTestLog } from './embedded-log.ts'

const topics = [topic({ partitions: 2 }), topic({ name: 'filled' })]

describe('F28 · a clock that steps back', () => {
  test('a later record has a later time, in any topic and partition', async () => {
    const { log, clock } = await openTestLog(topics)
    const start = clock.nowMs
    const append = async (name: string, partition: number) => (await log.append(name, [keyless('a', partition)]))[0]!.timestampMs - start
    expect(await append('spans', 0)).toBe(0)
    clock.nowMs -= 3000
    expect(await append('spans', 1)).toBe(1)
    clock.nowMs += 10
    expect(await append('filled', 0)).toBe(2)
    clock.nowMs -= 3000
    expect(await append('spans', 0)).toBe(3)
    clock.nowMs = start + 5
    expect(await append('spans', 1)).toBe(5)
  })

  test.each([
    ['and its topic is still declared', topics],
    ['and its topic is no longer declared', topics.slice(0, 1)],
  ])('a step back while the log was closed is noticed, %s', async (_, declared) => {
    const { log, clock, open } = await openTestLog(topics)
    const [before] = await log.append('filled', [keyless('a')])
    await log.close()
    clock.nowMs -= 3000
    const [after] = await (await open(declared)).append('spans', [keyless('b', 1)])
    expect(after!.timestampMs).toBe(before!.timestampMs + 1)
  })

  test('all records of one transaction have one time', async () => {
    const { log, clock } = await openTestLog(topics)
    await log.append('filled', [keyless('a')])
    clock.nowMs -= 3000
    await log.append('spans', [keyless('b', 0)])
    clock.nowMs += 10
    const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
      const appends = [['spans', [keyless('c', 1)]] as const, ['filled', [keyless('d')]] as const]
      if (batch.partition === 0) await context.commitWith(batch.nextOffset, '', new Map(appends))
      return done
    })
    await waitFor(async () => expect(await readAll(log, 'spans', 1)).toHaveLength(1))
    await got.consumer.stop()
    const [spans, filled] = [await readAll(log, 'spans', 1), await readAll(log, 'filled', 0)]
    expect(spans[0]!.timestampMs).toBe(filled[1]!.timestampMs)
  })
})

test.each([
  [10, 'ten transactions a millisecond'],
  [0.1, 'one transaction in ten milliseconds'],
])('append times do not run ahead of a clock that was set back, and the clock catches up (%d: %s)', rate => {
  const startMs = 1_700_000_000_000
  let time: AppendTime = { newestMs: startMs, clockMs: startMs }
  let nowMs = startMs - 300
  let made = Number.POSITIVE_INFINITY
  for (let passedMs = 0; passedMs < 700; passedMs += 1 / rate) {
    nowMs = Math.floor(startMs - 300 + passedMs)
    const next = nextAppendTime(time, nowMs)
    expect(next.newestMs).toBeGreaterThanOrEqual(time.newestMs)
    expect(next.newestMs - nowMs).toBeLessThanOrEqual(301)
    if (next.newestMs === nowMs) made = Math.min(made, passedMs)
    time = next
  }
  expect(made).toBeLessThan(610)
})

import { describe, expect, test } from 'vitest'
import { createEventLoopLag, createHealth, createProgressTracker, healthy, unhealthy } from '../src/health/index.ts'

describe('health', () => {
  test('without checks, every probe passes and reports the version', async () => {
    const health = createHealth({ version: '4.59.0' })
    expect(await health.evaluate('live')).toEqual({ status: 200, body: { status: 'OK', version: '4.59.0', checks: {} } })
  })

  test('a failing check fails its probe with the reason, and no other probe', async () => {
    const health = createHealth()
    health.register({ name: 'log', probe: 'ready', check: () => healthy })
    health.register({ name: 'column store', probe: 'ready', check: async () => unhealthy('no answer from 127.0.0.1:8123') })
    expect(await health.evaluate('ready')).toMatchObject({
      status: 503,
      body: {
        status: 'UNAVAILABLE',
        checks: { log: { ok: true }, 'column store': { ok: false, reason: 'no answer from 127.0.0.1:8123' } },
      },
    })
    expect((await health.evaluate('live')).status).toBe(200)
  })

  test('a check that throws or hangs fails and does not delay the probe', async () => {
    const health = createHealth({ timeoutMs: 5 })
    health.register({
      name: 'throws',
      probe: 'live',
      check: () => {
        throw new Error('broken')
      },
    })
    health.register({ name: 'hangs', probe: 'live', check: () => new Promise(() => {}) })
    expect((await health.evaluate('live')).body.checks).toEqual({
      throws: { ok: false, reason: 'broken' },
      hangs: { ok: false, reason: 'no response within 5 ms' },
    })
  })

  test('ready includes startup, and fails while the process drains, unlike live', async () => {
    const health = createHealth()
    let migrated = false
    health.register({ name: 'migrations', probe: 'startup', check: () => (migrated ? healthy : unhealthy('running')) })
    expect((await health.evaluate('ready')).status).toBe(503)
    migrated = true
    expect((await health.evaluate('ready')).status).toBe(200)
    health.drain()
    expect((await health.evaluate('ready')).body.checks['draining']).toEqual({ ok: false, reason: 'the process is stopping' })
    expect((await health.evaluate('live')).status).toBe(200)
    expect(health.draining).toBe(true)
  })

  test('check names are unique within a probe, and a check can be removed', async () => {
    const health = createHealth()
    const remove = health.register({ name: 'log', probe: 'ready', check: () => unhealthy('down') })
    expect(() => health.register({ name: 'log', probe: 'ready', check: () => healthy })).toThrow('ready/log is registered twice')
    health.register({ name: 'log', probe: 'progress', check: () => healthy })
    remove()
    expect((await health.evaluate('ready')).status).toBe(200)
  })
})

describe('F27 · idle is healthy, stuck is not', () => {
  const setup = (hasWork?: () => boolean) => {
    const clock = { now: 1_000_000 }
    const tracker = createProgressTracker({ thresholdMs: 60_000, monotonicNow: () => clock.now, ...(hasWork ? { hasWork } : {}) })
    return { clock, tracker }
  }

  test('passes without work for a day', () => {
    const { clock, tracker } = setup()
    clock.now += 86_400_000
    expect(tracker.check()).toEqual({ ok: true })
    tracker.work(true)
    expect(tracker.check()).toEqual({ ok: true })
  })

  test('fails when work makes no progress for longer than the threshold', () => {
    const { clock, tracker } = setup()
    tracker.work(true)
    clock.now += 60_000
    tracker.work(true)
    expect(tracker.check()).toEqual({ ok: true })
    clock.now += 1
    expect(tracker.check()).toEqual({ ok: false, reason: 'work is waiting, but none was finished for 60 s (threshold 60 s)' })
    expect(tracker.stuckForMs).toBe(60_001)
  })

  test('progress restarts the threshold, and the end of the work ends it', () => {
    const { clock, tracker } = setup()
    tracker.work(true)
    clock.now += 90_000
    tracker.progress()
    expect(tracker.check()).toEqual({ ok: true })
    clock.now += 90_000
    tracker.work(false)
    expect(tracker.check()).toEqual({ ok: true })
    expect(tracker.stuckForMs).toBe(0)
  })

  test('the threshold for work that hasWork reports starts at the first check', () => {
    let lag = 0
    const { clock, tracker } = setup(() => lag > 0)
    lag = 5
    tracker.check()
    clock.now += 60_001
    expect(tracker.check().ok).toBe(false)
    lag = 0
    expect(tracker.check()).toEqual({ ok: true })
  })
})

test('the event loop lag includes a block of the loop during and after the block, until the window is reset', async () => {
  const lag = createEventLoopLag()
  const turn = () => new Promise(resolve => setTimeout(resolve, 25))
  await turn()
  lag.reset()
  const end = performance.now() + 200
  while (performance.now() < end);
  expect(lag.maxSeconds).toBeGreaterThan(0.15)
  await turn()
  expect(lag.maxSeconds).toBeGreaterThan(0.15)
  expect(lag.p99Seconds).toBeGreaterThan(0.15)
  lag.reset()
  expect(lag.maxSeconds).toBeLessThan(0.15)
  lag.stop()
})

import { expect, test } from 'vitest'
import { createPatientRefresh, createStoreWatch } from '../src/health/index.ts'

test('a silent store passes within the threshold, fails beyond it, and passes again after its next response', async () => {
  let now = 0
  const clock = { now: () => now, advance: (ms: number) => void (now += ms) }
  const answers: PromiseWithResolvers<void>[] = []
  const watch = createStoreWatch({
    name: 'The store',
    ask: () => {
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      return answer.promise
    },
    thresholdMs: 1_000,
    intervalMs: 1,
    monotonicNow: clock.now,
  })
  expect(watch.check()).toEqual({ ok: true })
  watch.start()
  answers[0]!.resolve()
  await answers[0]!.promise
  clock.advance(1_000)
  expect(watch.check().ok).toBe(true)
  clock.advance(1)
  expect(watch.check()).toEqual({ ok: false, reason: 'The store has not responded for 1 s' })
  // The watch abandons each query, because the queries never resolve.
  while (answers.length < 3) {
    clock.advance(1_001)
    await new Promise(setImmediate)
  }
  answers.at(-1)!.reject(new Error('refused'))
  await answers.at(-1)!.promise.catch(() => undefined)
  await new Promise(setImmediate)
  expect(watch.check()).toMatchObject({ ok: false, reason: expect.stringContaining('refused') })
  const before = answers.length
  while (answers.length === before) {
    // The watch may already have a query in progress. The clock advances so that the watch abandons this query and starts a new one.
    clock.advance(1_001)
    await new Promise(setImmediate)
  }
  answers.at(-1)!.resolve()
  await answers.at(-1)!.promise
  expect(watch.check()).toEqual({ ok: true })
  watch.stop()
})

test('probes do not wait for a refresh that never ends, and share one refresh', async () => {
  let asked = 0
  const never = new Promise<void>(() => undefined)
  const refresh = createPatientRefresh(
    () => {
      asked += 1
      return never
    },
    () => undefined,
    1,
  )
  await Promise.all([refresh(), refresh(), refresh()])
  await refresh()
  expect(asked).toBe(1)
})

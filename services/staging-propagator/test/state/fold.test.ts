// Compares the propagator's state with a simple model, which also expires windows. The state is built from the records of a real log.
import { join } from 'node:path'
import type { NewRecord } from '@svc-server/log'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answersOf, createModel, hour, openWorld, put, startMs, tombstone, topic, traceKeyOf, windowOf } from './world.ts'

const retentionMs = 3 * hour
const projects = ['alpha', 'beta', 'gamma']
const traceKeys = projects.flatMap(project => [traceKeyOf(project, 1), traceKeyOf(project, 2, 'beta/'), traceKeyOf(project, 3, '/a//')])

const change = fc.record({
  trace: fc.nat({ max: traceKeys.length - 1 }),
  firstOffset: fc.nat({ max: 5 }).map(window => window * 100),
  endMs: fc.nat({ max: 40 }).map(quarters => startMs + (quarters * hour) / 4),
  fill: fc.constantFrom('00000000000000aa', '00000000000000bb', 'not a hash at all'),
  generation: fc.nat({ max: 3 }),
  isTombstone: fc.nat({ max: 4 }).map(n => n === 0),
})
/** After some rounds, the test reopens the state or deletes its directory. */
const runs = fc.array(
  fc.record({ changes: fc.array(change, { maxLength: 12 }), after: fc.constantFrom('go on', 'go on', 'open again', 'lose the directory') }),
  { minLength: 1, maxLength: 6 },
)

test('the state equals the fold of the topic: puts, repairs of older windows, tombstones and expiry, in any order and grouping', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async generated => {
      const world = await openWorld()
      const model = createModel(retentionMs)
      let directory = world.stateDirectory
      let state = await world.openState({ directory, retentionMs })
      for (const [index, { changes, after }] of generated.entries()) {
        const records: NewRecord[] = []
        for (const { trace, isTombstone, firstOffset, ...fields } of changes) {
          const traceKey = traceKeys[trace]!
          if (isTombstone) model.remove(traceKey, firstOffset)
          else model.put(traceKey, windowOf(firstOffset, fields))
          records.push(isTombstone ? tombstone(traceKey, firstOffset) : put(traceKey, windowOf(firstOffset, fields)))
        }
        await world.log.append(topic, records)
        const { applied } = await state.catchUp(0)
        expect(applied).toBe(records.length)
        expect(answersOf(state, 0, traceKeys, projects)).toEqual(model.answers(traceKeys, projects))
        if (after === 'go on') continue
        await state.close()
        if (after === 'lose the directory') directory = join(world.directory, `state-${index}`)
        state = await world.openState({ directory, retentionMs })
        await state.catchUp(0)
        expect(answersOf(state, 0, traceKeys, projects)).toEqual(model.answers(traceKeys, projects))
      }
      await state.close()
    }),
    { numRuns: 20 },
  )
})

test('expiry all at once, one by one over transactions, and after a long pause leaves the same state', async () => {
  const world = await openWorld()
  const model = createModel(48 * hour)
  const state = await world.openState()
  const keys = Array.from({ length: 20_000 }, (_, trace) => traceKeyOf('alpha', trace))
  const write = async (from: number, to: number, endMs: number) => {
    const window = windowOf(from, { endMs })
    for (const key of keys.slice(from, to)) model.put(key, window)
    await world.log.append(
      topic,
      keys.slice(from, to).map(key => put(key, window)),
    )
  }
  await write(0, 19_000, startMs)
  await write(19_000, 19_500, startMs + 24 * hour)
  await state.catchUp(0)
  // After this write, more windows have expired than one transaction removes.
  await write(19_500, 19_600, startMs + 50 * hour)
  await state.catchUp(0)
  const some = [0, 1, 18_999, 19_000, 19_499, 19_500, 19_599, 19_600].map(trace => keys[trace]!)
  expect(state.size()).toMatchObject({ traces: 600, windows: 600, pending: 0 })
  expect(answersOf(state, 0, some, []).windows).toEqual(model.answers(some, []).windows)
  expect(state.projectTraces(0, 'alpha')).toBe(600)
  await write(19_600, 19_601, startMs + 500 * hour)
  await state.catchUp(0)
  expect(answersOf(state, 0, some, ['alpha'])).toEqual(model.answers(some, ['alpha']))
  expect(state.size()).toMatchObject({ traces: 1, windows: 1, pending: 0 })
})

test('partitions are independent of each other, and one that was never read is empty', async () => {
  const world = await openWorld()
  const state = await world.openState()
  const [key, window] = [traceKeyOf('alpha', 1), windowOf(100)]
  await world.log.append(topic, [put(key, window, 0)])
  await Promise.all([state.catchUp(0), state.catchUp(0), state.catchUp(1)])
  expect(state.newest(0, key)).toEqual(window)
  expect(state.newest(1, key)).toBeNull()
  expect(state.projectTraces(1, 'alpha')).toBe(0)
  expect(() => state.newest(2, key)).toThrow(RangeError)
})

test('catchUp returns the append time of the newest record, also when it was applied long ago', async () => {
  const world = await openWorld()
  const state = await world.openState()
  expect(await state.catchUp(0)).toEqual({ newestTimestampMs: null, applied: 0 })
  world.clock.advance(5_000)
  await world.log.append(topic, [put(traceKeyOf('alpha', 1), windowOf(0))])
  expect(await state.catchUp(0)).toEqual({ newestTimestampMs: startMs + 5_000, applied: 1 })
  await state.close()
  const again = await world.openState()
  expect(await again.catchUp(0)).toEqual({ newestTimestampMs: startMs + 5_000, applied: 0 })
})

test('batches and transactions are bounded, and a long restore reports its progress', async () => {
  const world = await openWorld()
  const value = windowOf(0, { candidates: { winners: [], tags: ['x'.repeat(4_000)], rootSeen: true } })
  const records = Array.from({ length: 5_000 }, (_, trace) => put(traceKeyOf('alpha', trace), value))
  await world.log.append(topic, records)
  const sizes: number[] = []
  const log: typeof world.log = {
    ...world.log,
    async read(...asked) {
      const batch = await world.log.read(...asked)
      sizes.push(batch.records.reduce((sum, record) => sum + record.key!.length + record.value!.length, 0))
      return batch
    },
  }
  const state = await world.openState({ log, progressMs: 0 })
  expect(await state.catchUp(0)).toMatchObject({ applied: 5_000 })
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(sizes.length).toBeGreaterThan(2)
  const progress = world.lines.filter(({ message }) => message === 'reading the trace state from the log')
  expect(progress.length).toBeGreaterThan(1)
  expect(progress[0]!.fields).toMatchObject({ partition: 0, end: 5_000 })
  expect(world.lines.at(-1)).toMatchObject({ level: 'info', fields: { applied: 5_000 } })
})

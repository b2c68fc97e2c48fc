// Tests how the state reads its changelog after a checkpoint. In these tests, the log has faults, or the records of the changelog are
// faulty.
import { join } from 'node:path'
import type { NewRecord } from '@svc-server/log'
import { expect, test } from 'vitest'
import { answersOf, createModel, hour, openWorld, put, startMs, tombstone, topic, traceKeyOf, windowOf } from './world.ts'

const [a, b] = [traceKeyOf('alpha', 1), traceKeyOf('alpha', 2)]

test('F37 · when retention has passed the checkpoint, the partition is read again and reports it', async () => {
  const world = await openWorld()
  const state = await world.openState()
  await world.log.append(topic, [put(a, windowOf(0)), put(a, windowOf(0), 1)])
  await state.catchUp(0)
  await state.catchUp(1)
  await state.close()
  await world.log.append(topic, [tombstone(a, 0)])
  world.clock.advance(49 * hour)
  await world.log.maintain()
  await world.log.append(topic, [put(b, windowOf(100))])
  await world.log.maintain()

  const again = await world.openState()
  await again.catchUp(0)
  expect(again.newest(0, a)).toBeNull()
  expect(again.newest(0, b)).toEqual(windowOf(100))
  expect(again.size()).toMatchObject({ traces: 2, windows: 2 })
  expect(again.newest(1, a)).toEqual(windowOf(0))
  expect(world.lines).toMatchObject([
    { level: 'warn', message: 'the trace state of a partition is rebuilt from the log', fields: { partition: 0, from: 2 } },
  ])
})

test('a checkpoint of another log is dropped, even when the log has its offset', async () => {
  const world = await openWorld()
  const state = await world.openState()
  await world.log.append(topic, [put(a, windowOf(0)), put(a, windowOf(100))])
  await state.catchUp(0)
  await state.close()
  const other = await world.openLog('log-made-anew')
  await other.append(topic, [put(b, windowOf(0)), put(b, windowOf(100)), put(b, windowOf(200))])

  const again = await world.openState({ log: other })
  await again.catchUp(0)
  expect(again.windows(0, a)).toEqual([])
  expect(again.windows(0, b)).toHaveLength(3)
  expect(world.lines).toMatchObject([{ level: 'warn', fields: { reason: 'the log was recreated' } }])
})

test('a checkpoint beyond the end of the log is dropped', async () => {
  const world = await openWorld()
  const state = await world.openState()
  await world.log.append(topic, [put(a, windowOf(0)), put(a, windowOf(100))])
  await state.catchUp(0)
  await state.close()
  const other = await world.openLog('log-set-back')
  await other.append(topic, [put(b, windowOf(0))])

  const again = await world.openState({ log: { ...other, logId: world.log.logId } })
  await again.catchUp(0)
  expect(again.windows(0, a)).toEqual([])
  expect(again.newest(0, b)).toEqual(windowOf(0))
  expect(world.lines).toMatchObject([{ level: 'warn', fields: { from: 0 } }])
})

test('a compacted changelog gives the same state to a continuing process and to a new one', async () => {
  const world = await openWorld()
  const model = createModel(48 * hour)
  const state = await world.openState()
  const keys = Array.from({ length: 50 }, (_, trace) => traceKeyOf(trace % 2 ? 'alpha' : 'beta', trace))
  for (let round = 0; round < 8; round++) {
    const records: NewRecord[] = []
    for (const [trace, key] of keys.entries()) {
      // Each record adds a window, repairs an older window, or deletes a window.
      const window = windowOf(((round * 7 + trace) % 5) * 100, { generation: round, fill: `${round % 3}`.padStart(16, '0') })
      model.put(key, window)
      records.push(put(key, window))
      if ((trace + round) % 11 === 0 && model.remove(key, 0)) records.push(tombstone(key, 0))
    }
    await world.log.append(topic, records)
    if (round === 3) await state.catchUp(0)
    world.clock.advance(1_000)
    await world.log.maintain()
  }
  const { records, highWatermark } = (await world.log.describe()).find(({ spec }) => spec.name === topic)!.partitions[0]!
  expect(records).toBeLessThan(highWatermark / 1.5)
  const expected = model.answers(keys, ['alpha', 'beta'])
  const fresh = await world.openState({ directory: join(world.directory, 'fresh') })
  for (const one of [state, fresh]) {
    await one.catchUp(0)
    expect(answersOf(one, 0, keys, ['alpha', 'beta'])).toEqual(expected)
  }
})

test('foreign records are skipped and reported once', async () => {
  const world = await openWorld()
  const state = await world.openState()
  const good = put(b, windowOf(0))
  await world.log.append(topic, [
    { ...put(a, windowOf(0)), value: good.value!.subarray(0, 20) },
    { ...good, key: Buffer.from('no slashes') },
    { ...good, value: Buffer.from('no record') },
    good,
  ])
  expect(await state.catchUp(0)).toMatchObject({ applied: 4 })
  expect(state.newest(0, b)).toEqual(windowOf(0))
  expect(state.size()).toMatchObject({ traces: 1, windows: 1 })
  expect(world.lines).toMatchObject([{ level: 'warn', fields: { partition: 0, skipped: 3, firstOffset: 0 } }])
})

test('a record of a newer version stops the state before it, and stays available to that version', async () => {
  const world = await openWorld()
  const state = await world.openState()
  const newer = Buffer.from(put(a, windowOf(100)).value!)
  newer[2]! ^= 0xff
  await world.log.append(topic, [put(a, windowOf(0))])
  await state.catchUp(0)
  await world.log.append(topic, [{ ...put(a, windowOf(100)), value: newer }])
  await expect(state.catchUp(0)).rejects.toMatchObject({ code: 'record_undecodable' })
  await expect(state.catchUp(0)).rejects.toMatchObject({ code: 'record_undecodable' })
  expect(state.newest(0, a)).toEqual(windowOf(0))
})

test('the state waits for a committed record that is not yet readable', async () => {
  const world = await openWorld()
  let hiddenReads = 3
  // Imitates a broker that has confirmed a commit, but does not return the committed records yet.
  const log: typeof world.log = {
    ...world.log,
    async read(...asked) {
      const batch = await world.log.read(...asked)
      const visible = batch.records.filter(({ offset }) => offset < 1 || hiddenReads <= 0)
      if (visible.length === batch.records.length) return batch
      hiddenReads--
      return { ...batch, records: visible, nextOffset: 1, highWatermark: 1 }
    },
  }
  const state = await world.openState({ log, retentionMs: hour })
  const last = put(a, windowOf(100, { endMs: startMs + hour }))
  await world.log.append(topic, [put(a, windowOf(0)), last])
  await state.catchUp(0)
  expect(state.windows(0, a)).toHaveLength(1)
  await state.catchUp(0, { last })
  expect(hiddenReads).toBe(0)
  expect(state.windows(0, a)).toHaveLength(2)
  // None of these calls waits for its record. The record of the first call is already known. The record of the second call has expired.
  // Compaction has removed the record of the third call.
  await state.catchUp(0, { last })
  await state.catchUp(0, { last: put(b, windowOf(0, { endMs: startMs - 1 })) })
  await state.catchUp(0, { last: tombstone(b, 0) })
})

test('F46 · a new owner without a record of its own reads to the end that the watermark gave', async () => {
  const world = await openWorld()
  let hiddenReads = 3
  // A partition's new leader does not know yet that the followers have its newest records. The first reads therefore return no records.
  const log: typeof world.log = {
    ...world.log,
    read: async (...asked) =>
      hiddenReads-- > 0 ? { topic, partition: 0, records: [], nextOffset: 0, highWatermark: 0 } : world.log.read(...asked),
  }
  const state = await world.openState({ log })
  await world.log.append(topic, [put(a, windowOf(0)), put(a, windowOf(100))])
  expect(await state.catchUp(0, { end: 2 })).toMatchObject({ applied: 2 })
  expect(state.windows(0, a)).toHaveLength(2)
})

test('an aborted restore stops between two batches, and the next one continues from there', async () => {
  const world = await openWorld()
  const records = Array.from({ length: 5_000 }, (_, trace) =>
    put(traceKeyOf('alpha', trace), windowOf(0, { candidates: { winners: [], tags: ['x'.repeat(4_000)], rootSeen: true } })),
  )
  await world.log.append(topic, records)
  const stop = new AbortController()
  let reads = 0
  const log: typeof world.log = {
    ...world.log,
    read(...asked) {
      if (++reads === 2) stop.abort()
      return world.log.read(...asked)
    },
  }
  const state = await world.openState({ log })
  await expect(state.catchUp(0, { signal: stop.signal })).rejects.toMatchObject({ code: 'draining' })
  const { traces } = state.size()
  expect(traces).toBeGreaterThan(0)
  expect(traces).toBeLessThan(5_000)
  expect(await state.catchUp(0)).toMatchObject({ applied: 5_000 - traces })
})

import { describe, expect, test } from 'vitest'
import type { PartitionContext } from '../../src/port.ts'
import { bytes, collect, gate, keyed, keyless, readAll, topic, values, waitFor } from '../conformance/harness.ts'
import { openTestLog } from './embedded-log.ts'

const hour = 3_600_000
const numbersOf = async (log: Awaited<ReturnType<typeof openTestLog>>['log'], partition = 0) =>
  (await log.describe())[0]!.partitions[partition]!

describe('retention by time', () => {
  test('records that a declared reader has not committed stay, regardless of their age', async () => {
    const { log, clock } = await openTestLog([topic({ retentionMs: hour, readers: ['fast', 'slow'] })])
    for (let i = 0; i < 6; i++) await log.append('spans', [keyless(`${i}`)])
    const fast = await collect(log, { topics: ['spans'], group: 'fast' })
    await waitFor(() => expect(fast.records()).toHaveLength(6))
    const slow = await collect(log, { topics: ['spans'], group: 'slow' }, async (_, context) => {
      await context.commit(4, '')
      return { kind: 'pause', afterMs: hour }
    })
    await waitFor(async () => expect((await log.committed('slow', 'spans')).get(0)?.offset).toBe(4))
    clock.nowMs += 30 * 24 * hour
    await log.maintain()
    expect(await numbersOf(log)).toMatchObject({ lowWatermark: 4, highWatermark: 6, records: 2 })
    await Promise.all([fast.consumer.stop(), slow.consumer.stop()])
  })

  test('a reader that has never committed keeps all records from deletion, and a reader that is no longer declared keeps none', async () => {
    const opened = await openTestLog([topic({ retentionMs: hour, readers: ['writer'] })])
    await opened.log.append('spans', [keyless('a')])
    opened.clock.nowMs += 2 * hour
    await opened.log.maintain()
    expect(await numbersOf(opened.log)).toMatchObject({ lowWatermark: 0, records: 1 })
    await opened.log.close()
    const without = await opened.open([topic({ retentionMs: hour, readers: [] })])
    await without.maintain()
    expect(await numbersOf(without)).toMatchObject({ lowWatermark: 1, highWatermark: 1, records: 0, bytes: 0 })
  })

  test('F37 · a running group without a commit does not skip deleted records silently either', async () => {
    const { log, clock } = await openTestLog([topic({ retentionMs: hour })])
    await log.append('spans', [keyless('a'), keyless('b')])
    const got = await collect(log, { topics: ['spans'] }, async () => {
      clock.nowMs += 2 * hour
      await log.maintain()
      return { kind: 'pause', afterMs: 10 }
    })
    await waitFor(() => expect(got.fatal).toMatchObject([{ code: 'offset_out_of_range', params: { offset: 0, lowWatermark: 2, lost: 2 } }]))
    await got.consumer.stop()
  })

  test('younger records stay', async () => {
    const { log, clock } = await openTestLog([topic({ retentionMs: hour })])
    await log.append('spans', [keyless('old')])
    clock.nowMs += hour / 2
    await log.append('spans', [keyless('young')])
    clock.nowMs += hour / 2 + 1
    await log.maintain()
    expect(values(await readAll(log, 'spans', 0, 1))).toEqual(['young'])
    expect((await numbersOf(log)).lowWatermark).toBe(1)
  })

  test('one round deletes thousands of old batches', async () => {
    const { log, clock } = await openTestLog([topic({ retentionMs: hour })])
    // A batch of more than 32 KiB never joins the previous batch, so each of these records stays a batch of its own.
    for (let i = 0; i < 4; i++) await Promise.all(Array.from({ length: 300 }, () => log.append('spans', [keyless('x'.repeat(33_000))])))
    clock.nowMs += 2 * hour
    await log.maintain()
    expect(await numbersOf(log)).toMatchObject({ lowWatermark: 1200, records: 0, bytes: 0 })
  })

  test('F28 · after the clock steps back, append times never decrease and lag is never negative', async () => {
    const { log, clock } = await openTestLog([topic({ readers: ['writer'] })])
    const start = clock.nowMs
    await log.append('spans', [keyless('a')])
    clock.nowMs -= hour
    const [position] = await log.append('spans', [keyless('b')])
    expect(position!.timestampMs).toBe(start + 1)
    expect((await log.lag())[0]).toMatchObject({ lagRecords: 2, lagMs: 0 })
    clock.nowMs = start + 5000
    expect((await log.lag())[0]).toMatchObject({ lagRecords: 2, lagMs: 5000 })
  })
})

describe('size limit', () => {
  const limited = topic({ maxTopicBytes: 1_000_000, readers: ['writer', 'propagator'] })
  const record = keyless('x'.repeat(99_000))

  const fill = async (log: Awaited<ReturnType<typeof openTestLog>>['log']) => {
    for (let i = 0; i < 10; i++) await log.append('spans', [record])
  }

  test('a full topic refuses appends and names the reader that is behind, and other topics accept them', async () => {
    const { log } = await openTestLog([limited, topic({ name: 'other' })])
    const writer = await collect(log, { topics: ['spans'], group: 'writer' })
    await fill(log)
    await waitFor(() => expect(writer.records()).toHaveLength(10))
    await expect(log.append('spans', [record])).rejects.toMatchObject({
      code: 'log_full',
      message: expect.stringContaining('propagator is behind by 10 records'),
      params: { topic: 'spans', reader: 'propagator' },
    })
    await log.append('other', [record])
    await writer.consumer.stop()
  })

  test('records that all readers have read are deleted for space although they are young', async () => {
    const { log } = await openTestLog([limited])
    await fill(log)
    await expect(log.append('spans', [record])).rejects.toMatchObject({ code: 'log_full' })
    const readers = await Promise.all(['writer', 'propagator'].map(group => collect(log, { topics: ['spans'], group })))
    await waitFor(async () => expect((await log.lag()).every(({ lagRecords }) => lagRecords === 0)).toBe(true))
    for (let i = 0; i < 5; i++) await log.append('spans', [record])
    const { lowWatermark, highWatermark, bytes: size } = await numbersOf(log)
    expect(highWatermark).toBe(15)
    expect(lowWatermark).toBeGreaterThan(3)
    expect(size).toBeLessThanOrEqual(1_000_000)
    await Promise.all(readers.map(({ consumer }) => consumer.stop()))
  })

  test('commitWith into a full topic changes nothing', async () => {
    const { log } = await openTestLog([topic(), { ...limited, name: 'filled' }])
    for (let i = 0; i < 10; i++) await log.append('filled', [record])
    await log.append('spans', [keyless('a')])
    const refused: unknown[] = []
    const got = await collect(log, { topics: ['spans'] }, async (_, context) => {
      await context.commitWith(1, '', new Map([['filled', [record]]])).catch(error => refused.push(error))
      return { kind: 'pause', afterMs: hour }
    })
    await waitFor(() => expect(refused).toMatchObject([{ code: 'log_full' }]))
    expect((await log.committed('group', 'spans')).size).toBe(0)
    await got.consumer.stop()
  })

  test('the reader that is furthest behind does not wait for itself, because a reserve takes the records that it derives from the named topic', async () => {
    const reserve = { of: 'parts', bytes: 200_000 }
    const { log } = await openTestLog([{ ...limited, reserve }, topic({ name: 'parts' }), topic({ name: 'events' })])
    await fill(log)
    for (const name of ['parts', 'events']) await log.append(name, [keyless('a')])
    const turns = { parts: gate(), events: gate() }
    const contexts = new Map<string, PartitionContext>()
    const got = await collect(log, { topics: ['parts', 'events'], group: 'propagator' }, async ({ topic: of }, context) => {
      contexts.set(of, context)
      await turns[of as keyof typeof turns].opened
      return { kind: 'pause', afterMs: hour }
    })
    await waitFor(() => expect(contexts.size).toBe(2))
    const derive = (from: string) => contexts.get(from)!.commitWith(0, '', new Map([['spans', [record]]]))
    // The propagator and the writer have the same number of unread records. In this case, the log treats the writer as the slowest reader.
    // Only the slowest reader can use the reserve, so the propagator's commit of `parts` cannot use it.
    await expect(derive('parts')).rejects.toMatchObject({ code: 'log_full', params: { reader: 'writer' } })
    const writer = await collect(log, { topics: ['spans'], group: 'writer' })
    await waitFor(() => expect(writer.records()).toHaveLength(10))
    await waitFor(async () => expect((await log.committed('writer', 'spans')).get(0)?.offset).toBe(10))
    await expect(log.append('spans', [record])).rejects.toMatchObject({ code: 'log_full', params: { reader: 'propagator' } })
    await expect(derive('events')).rejects.toMatchObject({ code: 'log_full' })
    await derive('parts')
    await derive('parts')
    await expect(derive('parts')).rejects.toMatchObject({ code: 'log_full' })
    expect(await numbersOf(log)).toMatchObject({ lowWatermark: 0, highWatermark: 12 })
    for (const { open } of Object.values(turns)) open()
    await Promise.all([got, writer].map(({ consumer }) => consumer.stop()))
  })

  test('a topic with dropsOldest accepts every append and keeps the newest records below its limit', async () => {
    const { log } = await openTestLog([topic({ maxTopicBytes: 100_000, dropsOldest: true, partitions: 2 })])
    // The batches are so small that one step of retention frees too little space for a large append.
    for (let i = 0; i < 600; i++) await log.append('spans', [{ ...keyless(`${i}`), partition: i % 2 }])
    await log.append('spans', [{ key: null, value: Buffer.alloc(98_500), partition: 0 }])
    const partitions = (await log.describe())[0]!.partitions
    expect(partitions.reduce((sum, each) => sum + each.bytes, 0)).toBeLessThanOrEqual(100_000)
    expect(partitions[0]).toMatchObject({ highWatermark: 301, newestTimestampMs: expect.anything() })
    expect((await log.read('spans', 0, 300, 1000)).records[0]!.value!.byteLength).toBe(98_500)
    expect(partitions[0]!.lowWatermark).toBeGreaterThan(256)
    await expect(log.append('spans', [{ key: null, value: Buffer.alloc(100_001), partition: 0 }])).rejects.toMatchObject({
      code: 'log_full',
    })
  })

  test('commitWith appends to a full topic with dropsOldest', async () => {
    const { log } = await openTestLog([topic(), topic({ name: 'letters', maxTopicBytes: 100_000, dropsOldest: true })])
    for (let i = 0; i < 10; i++) await log.append('letters', [{ key: null, value: Buffer.alloc(30_000) }])
    await log.append('spans', [keyless('a')])
    const got = await collect(log, { topics: ['spans'] }, async (_, context) => {
      await context.commitWith(1, '', new Map([['letters', [{ key: null, value: Buffer.alloc(30_000) }]]]))
      return { kind: 'done' }
    })
    await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(1))
    expect((await log.describe()).find(({ spec }) => spec.name === 'letters')!.partitions[0]!.highWatermark).toBe(11)
    await got.consumer.stop()
  })

  test('records below an offset are deleted, even within a batch, but unread records are not', async () => {
    const { log } = await openTestLog([topic(), topic({ name: 'read', readers: ['writer'] })])
    for (let i = 0; i < 300; i++) await log.append('spans', [keyless(`${2 * i}`), keyless(`${2 * i + 1}`)])
    await log.deleteBefore('spans', 0, 553)
    expect(await numbersOf(log)).toMatchObject({ lowWatermark: 553, highWatermark: 600 })
    expect(values((await log.read('spans', 0, 553, 1)).records)[0]).toBe('553')
    await expect(log.read('spans', 0, 552, 1)).rejects.toMatchObject({ code: 'offset_out_of_range' })
    await log.deleteBefore('spans', 0, 600)
    expect(await numbersOf(log)).toMatchObject({ lowWatermark: 600, highWatermark: 600, records: 0, bytes: 0 })
    await log.append('spans', [keyless('next')])
    expect(values((await log.read('spans', 0, 600, 1)).records)).toEqual(['next'])

    await log.append('read', [keyless('a')])
    await expect(log.deleteBefore('read', 0, 1)).rejects.toThrow('has not yet read')
  })

  test('records deleted within a batch stay deleted after the log is reopened, and no row counts as damaged', async () => {
    const lines: string[] = []
    const line = (_: object, message: string) => void lines.push(message)
    const { log, open } = await openTestLog([topic()], { logger: { info: () => {}, warn: () => {}, error: line } })
    await log.append('spans', [keyless('0'), keyless('1'), keyless('2')])
    await log.deleteBefore('spans', 0, 2)
    await log.close()
    const again = await open()
    expect(await numbersOf(again)).toMatchObject({ lowWatermark: 2, highWatermark: 3 })
    await expect(again.read('spans', 0, 1, 1)).rejects.toMatchObject({ code: 'offset_out_of_range' })
    expect(lines).toEqual([])
  })

  test('a topic without readers is not shortened for its size limit', async () => {
    const { log, clock } = await openTestLog([{ ...limited, readers: [] }])
    await fill(log)
    await expect(log.append('spans', [record])).rejects.toMatchObject({ code: 'log_full', message: expect.stringContaining('no reader') })
    clock.nowMs += 8 * 24 * hour
    await log.maintain()
    await log.append('spans', [record])
  })
})

describe('compaction', () => {
  const compacted = topic({ cleanup: 'compact,delete', retentionMs: 48 * hour })

  test('a tombstone removes its key, stays readable for a day, and is then removed itself', async () => {
    const { log, clock } = await openTestLog([compacted])
    await log.append('spans', [keyed('a', '1'), keyed('b', '1')])
    await log.append('spans', [keyed('a', null)])
    await log.maintain()
    expect((await readAll(log, 'spans', 0)).map(({ offset, value }) => [offset, value && Buffer.from(value).toString()])).toEqual([
      [1, '1'],
      [2, null],
    ])
    clock.nowMs += 25 * hour
    await log.append('spans', [keyed('b', '2'), keyed('b', '3')])
    await log.maintain()
    expect((await readAll(log, 'spans', 0)).map(({ offset }) => offset)).toEqual([4])
    expect(await numbersOf(log)).toMatchObject({ highWatermark: 5, records: 1 })
    clock.nowMs += 49 * hour
    await log.maintain()
    expect(await numbersOf(log)).toMatchObject({ lowWatermark: 5, records: 0, bytes: 0 })
  })

  test('records that a declared reader has not read are not compacted', async () => {
    const { log } = await openTestLog([{ ...compacted, readers: ['reader'] }])
    for (let i = 0; i < 10; i++) await log.append('spans', [keyed('k', `${i}`)])
    await log.maintain()
    expect(await numbersOf(log)).toMatchObject({ records: 10 })
    const reader = await collect(log, { topics: ['spans'], group: 'reader' })
    await waitFor(async () => expect((await log.lag())[0]?.lagRecords).toBe(0))
    await reader.consumer.stop()
    await log.maintain()
    expect(values(await readAll(log, 'spans', 0))).toEqual(['9'])
  })

  test('a consumer receives an empty range, so that it can commit the end of that range', async () => {
    const { log, clock } = await openTestLog([topic({ cleanup: 'compact' })])
    await log.append('spans', [keyed('a', '1')])
    await log.append('spans', [keyed('a', null)])
    clock.nowMs += 25 * hour
    await log.maintain()
    expect(await numbersOf(log)).toMatchObject({ records: 0, highWatermark: 2 })
    const got = await collect(log, { topics: ['spans'] })
    await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(2))
    expect(got.batches).toMatchObject([{ records: [], nextOffset: 2 }])
    await got.consumer.stop()
  })

  test('appends and reads continue while a pass runs', async () => {
    const { log } = await openTestLog([topic({ cleanup: 'compact' })])
    const last = new Map<string, string>()
    const append = async (i: number) => {
      const key = `k${i % 7}`
      await log.append('spans', [{ key: bytes(key), value: Buffer.from(`${i}`.padEnd(40_000)) }])
      last.set(key, `${i}`)
    }
    for (let i = 0; i < 100; i++) await append(i)
    const ended = gate()
    const pass = log.maintain().finally(ended.open)
    for (let i = 100; i < 200; i++) await append(i)
    await pass
    await log.maintain()
    const found = new Map(
      (await readAll(log, 'spans', 0)).map(({ key, value }) => [Buffer.from(key!).toString(), Buffer.from(value!).toString().trim()]),
    )
    expect(found).toEqual(last)
    expect((await numbersOf(log)).records).toBeLessThan(20)
  })
})

import { describe, expect, test } from 'vitest'
import type { AssignedPartition, PartitionContext } from '../../src/port.ts'
import type { LogAdapter } from './adapter.ts'
import { bytes, collect, commitAll, done, gate, keyless, readAll, topic, useLogs, values, waitFor } from './harness.ts'

const seconds = 1000

export const consuming = (adapter: LogAdapter) =>
  describe(`event log, consuming: ${adapter.name}`, () => {
    const fixture = useLogs(adapter)

    test('few bytes are delivered after the maximum wait, and many bytes immediately', async () => {
      const { log } = await fixture.log([topic()])
      const few = await collect(log, { topics: ['spans'], group: 'few', minBytes: 1 << 20, maxWaitMs: 50 })
      // The consumer waits up to ten minutes for more bytes. The next append must wake the consumer earlier.
      const much = await collect(log, { topics: ['spans'], group: 'much', minBytes: 1000, maxWaitMs: 600 * seconds })
      await log.append('spans', [keyless('x'.repeat(400))])
      await waitFor(() => expect(few.records()).toHaveLength(1))
      expect(much.records()).toHaveLength(0)
      await log.append('spans', [keyless('x'.repeat(400)), keyless('x'.repeat(400))])
      await waitFor(() => expect(much.records()).toHaveLength(3))
      expect(much.batches).toHaveLength(1)
      await Promise.all([few.consumer.stop(), much.consumer.stop()])
    })

    test('few bytes are delivered after a wait of more than a second, even if no more bytes arrive', async () => {
      const { log } = await fixture.log([topic()])
      const got = await collect(log, { topics: ['spans'], minBytes: 1 << 20, maxWaitMs: 1.2 * seconds })
      await log.append('spans', [keyless('first')])
      await waitFor(() => expect(got.records()).toHaveLength(1))
      await log.append('spans', [keyless('second')])
      await waitFor(() => expect(values(got.records())).toEqual(['first', 'second']))
      await got.consumer.stop()
      expect(got.fatal).toEqual([])
    })

    test('every record is delivered once and in order, in batches below the limit', async () => {
      const { log } = await fixture.log([topic({ partitions: 2 })])
      const sent = Array.from({ length: 60 }, (_, i) => keyless(`${i}`.padStart(100), i % 2))
      const got = await collect(log, { topics: ['spans'], maxBatchBytes: 1050 })
      for (const record of sent) await log.append('spans', [record])
      await waitFor(() => expect(got.records()).toHaveLength(60))
      await got.consumer.stop()
      for (const { records } of got.batches) expect(records.length).toBeLessThanOrEqual(10)
      for (const partition of [0, 1]) {
        const numbers = values(got.records().filter(record => record.partition === partition)).map(Number)
        expect(numbers).toEqual(numbers.map((_, i) => i * 2 + partition))
      }
      for (const { records, nextOffset } of got.batches) expect(nextOffset).toBe(records.at(-1)!.offset + 1)
      expect(got.fatal).toEqual([])
    })

    test('a record larger than a batch is delivered alone', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a'), keyless('b'.repeat(5000)), keyless('c')])
      const got = await collect(log, { topics: ['spans'], maxBatchBytes: 100 })
      await waitFor(() => expect(got.records()).toHaveLength(3))
      expect(got.batches.map(({ records }) => records.length)).toEqual([1, 1, 1])
      await got.consumer.stop()
    })

    test('batches of a partition never overlap, and no more than the allowed number run', async () => {
      const { log } = await fixture.log([topic({ partitions: 4 })])
      await log.append(
        'spans',
        Array.from({ length: 80 }, (_, i) => keyless('x'.repeat(100), i % 4)),
      )
      const running = new Map<number, number>()
      let most = 0
      const got = await collect(log, { topics: ['spans'], maxBatchBytes: 300, concurrency: 2 }, async (batch, context) => {
        running.set(batch.partition, (running.get(batch.partition) ?? 0) + 1)
        most = Math.max(
          most,
          [...running.values()].reduce((a, b) => a + b),
        )
        expect(running.get(batch.partition)).toBe(1)
        await context.commit(batch.nextOffset, '')
        running.set(batch.partition, 0)
        return done
      })
      await waitFor(() => expect(got.records()).toHaveLength(80))
      expect(most).toBeLessThanOrEqual(2)
      expect(got.fatal).toEqual([])
      await got.consumer.stop()
    })

    test('metadata of a commit, up to 4,096 characters, survives a restart', async () => {
      const topics = [topic()]
      const { log, store } = await fixture.log(topics)
      await log.append('spans', [keyless('a'), keyless('b')])
      const metadata = '€'.repeat(4096)
      const refused: unknown[] = []
      const got = await collect(log, { topics: ['spans'] }, async (_, context) => {
        await context.commit(1, `${metadata}x`).catch(error => refused.push(error))
        await context.commit(2, metadata)
        return done
      })
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 2, metadata }))
      await got.consumer.stop()
      expect(refused).toHaveLength(1)

      const again = await fixture.reopen(log, store, topics)
      expect((await again.committed('group', 'spans')).get(0)).toEqual({ offset: 2, metadata })
      expect((await again.committed('nobody', 'spans')).size).toBe(0)
      let assigned: readonly AssignedPartition[] = []
      const next = await collect(again, {
        topics: ['spans'],
        onAssigned: async partitions => {
          assigned = partitions
          return []
        },
      })
      await again.append('spans', [keyless('c')])
      await waitFor(() => expect(values(next.records())).toEqual(['c']))
      expect(assigned[0]).toMatchObject({ committed: { offset: 2, metadata }, lowWatermark: 0 })
      await next.consumer.stop()
    })

    test('commitWith stores both the records and the offset, or neither', async () => {
      const { log } = await fixture.log([topic(), topic({ name: 'filled', maxRecordBytes: 10 })])
      await log.append('spans', [keyless('a'), keyless('b')])
      const refused: unknown[] = []
      const got = await collect(log, { topics: ['spans'] }, async (_, context) => {
        const tooLarge = new Map([['filled', [keyless('ok'), keyless('x'.repeat(11))]]])
        await context.commitWith(1, 'no', tooLarge).catch(error => refused.push(error))
        const fits = new Map([['filled', [keyless('A'), keyless('B')]]])
        await context.commitWith(2, 'yes', fits)
        return done
      })
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(2))
      await got.consumer.stop()
      expect(refused).toMatchObject([{ code: 'record_too_large' }])
      // The test polls, because some partitions may not yet show a commit that the brokers have acknowledged.
      await waitFor(async () => expect(values(await readAll(log, 'filled', 0))).toEqual(['A', 'B']))
      expect((await log.committed('group', 'spans')).get(0)?.metadata).toBe('yes')
    })

    test('after a pause the partition continues from the last commit, and other partitions do not wait', async () => {
      const { log } = await fixture.log([topic({ partitions: 2 })])
      await log.append(
        'spans',
        ['a', 'b', 'c'].map(value => keyless(value, 0)),
      )
      let pauses = 0
      const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
        if (batch.partition === 1 || pauses === 2) return commitAll(batch, context)
        pauses++
        if (pauses === 1) await context.commit(1, 'intent')
        return { kind: 'pause', afterMs: 100 }
      })
      await waitFor(() => expect(pauses).toBeGreaterThan(0))
      await log.append('spans', [keyless('other', 1)])
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(3))
      await waitFor(() => expect(got.batches.some(({ partition }) => partition === 1)).toBe(true))
      const seen = got.batches.filter(({ partition }) => partition === 0).map(({ records }) => values(records))
      expect(seen).toEqual([
        ['a', 'b', 'c'],
        ['b', 'c'],
        ['b', 'c'],
      ])
      await got.consumer.stop()
    })

    test('F09 · a batch that was delivered but not committed is delivered again with the same end, even if more records have arrived', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a'), keyless('b')])
      const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
        if (got.batches.length > 1) return commitAll(batch, context)
        await context.commit(0, 'intent [0,1]')
        await log.append('spans', [keyless('c')])
        return { kind: 'pause', afterMs: 10 }
      })
      await waitFor(() => expect(got.records()).toHaveLength(5))
      expect(got.batches.map(({ records }) => values(records))).toEqual([['a', 'b'], ['a', 'b'], ['c']])
      await got.consumer.stop()
    })

    test('F06 · the records of an open intent are delivered in one batch after a restart, regardless of the limits', async () => {
      const topics = [topic({ partitions: 2 })]
      const { log, store } = await fixture.log(topics)
      await log.append(
        'spans',
        Array.from({ length: 12 }, (_, i) => keyless(`${i}`.padStart(500), 1)),
      )
      const first = await collect(log, { topics: ['spans'] }, async (_, context) => {
        await context.commit(2, 'intent [2,9]')
        return { kind: 'pause', afterMs: 600 * seconds }
      })
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(1)).toEqual({ offset: 2, metadata: 'intent [2,9]' }))
      await first.consumer.stop()

      const again = await fixture.reopen(log, store, topics)
      const second = await collect(again, {
        topics: ['spans'],
        maxBatchBytes: 600,
        minBytes: 1 << 20,
        onAssigned: async partitions =>
          partitions.flatMap(({ topic, partition, committed }) =>
            committed?.metadata.startsWith('intent') ? [{ topic, partition, until: 10 }] : [],
          ),
      })
      await waitFor(() => expect(second.records()).toHaveLength(10))
      expect(second.batches[0]!.records.map(({ offset }) => offset)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
      expect(second.batches[0]!.nextOffset).toBe(10)
      expect(second.batches.slice(1).every(({ records }) => records.length === 1)).toBe(true)
      await second.consumer.stop()
    })

    test('a second consumer of the group takes over, and the first consumer can no longer commit', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a')])
      const held = gate()
      const outcomes: unknown[] = []
      const first = await collect(log, { topics: ['spans'] }, async (_, context) => {
        await held.opened
        await context.commit(1, 'first').catch(error => outcomes.push(error))
        await context.commitWith(1, 'first', new Map([['spans', [keyless('never')]]])).catch(error => outcomes.push(error))
        await context.heartbeat().catch(error => outcomes.push(error))
        outcomes.push(context.signal.aborted)
        return done
      })
      await waitFor(() => expect(first.batches).toHaveLength(1))
      const second = await collect(log, { topics: ['spans'] }, async (batch, context) => {
        await context.commit(batch.nextOffset, 'second')
        held.open()
        return done
      })
      await waitFor(() => expect(outcomes).toHaveLength(4))
      expect(outcomes).toMatchObject([{ code: 'fenced' }, { code: 'fenced' }, { code: 'fenced' }, true])
      expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 1, metadata: 'second' })
      expect((await log.describe())[0]!.partitions[0]!.highWatermark).toBe(1)
      await Promise.all([first.consumer.stop(), second.consumer.stop()])
    })

    test('a commit after the handler has returned is fenced', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a')])
      let leaked: PartitionContext | undefined
      const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
        leaked ??= context
        return commitAll(batch, context)
      })
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(1))
      await got.consumer.stop()
      await expect(leaked!.commit(0, 'late')).rejects.toMatchObject({ code: 'fenced' })
      await expect(leaked!.heartbeat()).rejects.toMatchObject({ code: 'fenced' })
    })

    test('F22 · stop aborts the signal, lets the running batch commit, and starts no further batch', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a'), keyless('b')])
      const held = gate()
      const got = await collect(log, { topics: ['spans'], maxBatchBytes: 1 }, async (batch, context) => {
        await held.opened
        return commitAll(batch, context)
      })
      await waitFor(() => expect(got.batches).toHaveLength(1))
      const stopped = got.consumer.stop()
      held.open()
      await stopped
      expect(got.batches).toHaveLength(1)
      expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(1)
      expect(got.fatal).toEqual([])
    })

    test('a bug in the handler ends the consumer and is reported once', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a')])
      const bug = new Error('bug')
      const got = await collect(log, { topics: ['spans'] }, async () => {
        throw bug
      })
      await waitFor(() => expect(got.fatal).toEqual([bug]))
      await got.consumer.stop()
      expect(got.batches).toHaveLength(1)
    })

    test('groups do not affect each other', async () => {
      const { log } = await fixture.log([topic()])
      await log.append('spans', [keyless('a')])
      const one = await collect(log, { topics: ['spans'], group: 'one' })
      const two = await collect(log, { topics: ['spans'], group: 'two' })
      await waitFor(() => expect([values(one.records()), values(two.records())]).toEqual([['a'], ['a']]))
      await Promise.all([one.consumer.stop(), two.consumer.stop()])
    })

    test('the lag is the number of records that a declared reader has not committed', async () => {
      const { log } = await fixture.log([topic({ readers: ['group'] })])
      await log.append('spans', [keyless('a'), keyless('b'), { key: bytes('k'), value: bytes('c') }])
      const lagOf = async () => (await log.lag()).find(({ group, partition }) => group === 'group' && partition === 0)
      expect(await lagOf()).toMatchObject({ topic: 'spans', lagRecords: 3 })
      const got = await collect(log, { topics: ['spans'] })
      await waitFor(async () => expect(await lagOf()).toMatchObject({ committed: 3, lagRecords: 0, lagMs: 0 }))
      await got.consumer.stop()
    })
  })

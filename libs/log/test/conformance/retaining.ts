import { describe, expect, test } from 'vitest'
import { expiredBefore } from '../../src/expired.ts'
import type { LogAdapter } from './adapter.ts'
import { collect, keyed, keyless, readAll, text, topic, useLogs, values, waitFor } from './harness.ts'

const second = 1000
const lowOf = async (log: Awaited<ReturnType<ReturnType<typeof useLogs>['log']>>['log']) =>
  (await log.describe())[0]!.partitions[0]!.lowWatermark

export const retaining = (adapter: LogAdapter) =>
  describe(`event log, retention and compaction: ${adapter.name}`, () => {
    const fixture = useLogs(adapter)

    test('records older than the retention are deleted, and a read below them fails with offset_out_of_range', async () => {
      const { log, store } = await fixture.log([topic({ retentionMs: second })])
      await log.append('spans', [keyless('a'), keyless('b')])
      await store.age(log, 10 * second)
      await log.append('spans', [keyless('c')])
      await waitFor(async () => expect(await lowOf(log)).toBe(2))
      await expect(log.read('spans', 0, 0, 1000)).rejects.toMatchObject({ code: 'offset_out_of_range' })
      await expect(log.read('spans', 0, 4, 1000)).rejects.toMatchObject({ code: 'offset_out_of_range' })
      expect(values((await log.read('spans', 0, 2, 1000)).records)).toEqual(['c'])
    })

    test('records below an offset are deleted immediately, and the remaining records are readable', async () => {
      const { log } = await fixture.log([topic({ dropsOldest: true, maxTopicBytes: 1 << 30 })])
      await log.append('spans', [keyless('a'), keyless('b'), keyless('c')])
      await log.append('spans', [keyless('d')])
      await log.deleteBefore('spans', 0, 2)
      await waitFor(async () => expect(await lowOf(log)).toBe(2))
      await expect(log.read('spans', 0, 1, 1000)).rejects.toMatchObject({ code: 'offset_out_of_range' })
      expect(values(await readAll(log, 'spans', 0, 2))).toEqual(['c', 'd'])
      await log.deleteBefore('spans', 0, 4)
      await waitFor(async () => expect(await lowOf(log)).toBe(4))
      await log.append('spans', [keyless('e')])
      expect(values(await readAll(log, 'spans', 0, 4))).toEqual(['e'])
    })

    test('F37 · a consumer whose offset is below the retained records stops, reports the lost range, and never skips it silently', async () => {
      const { log, store } = await fixture.log([topic({ retentionMs: second })])
      await log.append(
        'spans',
        Array.from({ length: 5 }, (_, i) => keyless(`${i}`)),
      )
      const first = await collect(log, { topics: ['spans'] }, async (_, context) => {
        await context.commit(2, 'here')
        return { kind: 'pause', afterMs: 600 * second }
      })
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(2))
      await first.consumer.stop()
      await store.age(log, 10 * second)
      await log.append('spans', [keyless('new')])
      await waitFor(async () => expect(await lowOf(log)).toBe(5))

      let assigned = false
      const onAssigned = async () => {
        assigned = true
        return []
      }
      const late = await collect(log, { topics: ['spans'], onAssigned })
      await waitFor(() => expect(late.fatal).toHaveLength(1))
      expect(late.fatal[0]).toMatchObject({
        code: 'offset_out_of_range',
        params: { group: 'group', topic: 'spans', partition: 0, offset: 2, lowWatermark: 5, lost: 3 },
      })
      await late.consumer.stop()
      expect(late.batches).toEqual([])
      expect(assigned).toBe(false)
      expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 2, metadata: 'here' })
    })

    test('compaction keeps the last value of every key at its offset', async () => {
      const { log, store } = await fixture.log([topic({ cleanup: 'compact' })])
      for (let round = 0; round < 10; round++) {
        await log.append(
          'spans',
          ['a', 'b', 'c'].map(key => keyed(key, `${key}${round}`)),
        )
      }
      await log.append('spans', [keyed('a', null)])
      await store.age(log, 10 * second)
      // Compaction can leave the newest records unchanged for a while.
      await waitFor(async () => expect((await readAll(log, 'spans', 0)).length).toBeLessThan(20))
      const latest = new Map((await readAll(log, 'spans', 0)).map(({ key, value, offset }) => [text(key), [text(value), offset]]))
      expect([...latest].sort()).toEqual([
        ['a', [null, 30]],
        ['b', ['b9', 28]],
        ['c', ['c9', 29]],
      ])
    })

    test('a consumer skips the holes that compaction leaves', async () => {
      const { log, store } = await fixture.log([topic({ cleanup: 'compact' })])
      for (let i = 0; i < 30; i++) await log.append('spans', [keyed(`k${i % 3}`, `${i}`)])
      await store.age(log, 10 * second)
      await waitFor(async () => expect((await readAll(log, 'spans', 0)).length).toBeLessThan(20))
      const got = await collect(log, { topics: ['spans'], maxBatchBytes: 8 })
      await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(30))
      const offsets = got.records().map(({ offset }) => offset)
      expect(offsets).toEqual([...offsets].sort((a, b) => a - b))
      expect(values(got.records()).slice(-3)).toEqual(['27', '28', '29'])
      let expected = 0
      for (const { records, nextOffset } of got.batches) {
        for (const { offset } of records) {
          expect(offset).toBeGreaterThanOrEqual(expected)
          expect(offset).toBeLessThan(nextOffset)
        }
        expected = nextOffset
      }
      await got.consumer.stop()
    })

    test('a group without a commit begins at the start of the log, and the log reports the records that it missed', async () => {
      const { log, store } = await fixture.log([topic({ retentionMs: second })])
      await log.append('spans', [keyless('a'), keyless('b')])
      await store.age(log, 10 * second)
      await waitFor(async () => expect((await log.describe())[0]!.partitions[0]!.lowWatermark).toBe(2))
      await log.append('spans', [keyless('c')])
      const lost: number[] = []
      const got = await collect(log, {
        topics: ['spans'],
        onAssigned: async partitions => {
          lost.push(...partitions.map(expiredBefore))
          return []
        },
      })
      await waitFor(() => expect(values(got.records())).toEqual(['c']))
      await got.consumer.stop()
      const again = await collect(log, {
        topics: ['spans'],
        onAssigned: async partitions => {
          lost.push(...partitions.map(expiredBefore))
          return []
        },
      })
      await waitFor(() => expect(lost).toEqual([2, 0]))
      await again.consumer.stop()
    })

    test('a record without a key is refused on a compacted topic', async () => {
      const { log } = await fixture.log([topic({ cleanup: 'compact,delete' })])
      await expect(log.append('spans', [keyless('a')])).rejects.toThrow()
    })
  })

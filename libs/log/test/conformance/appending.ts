import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partitionOfKey } from '../../src/partitioner.ts'
import type { NewRecord } from '../../src/port.ts'
import type { LogAdapter } from './adapter.ts'
import { bytes, keyed, keyless, readAll, text, topic, useLogs, values } from './harness.ts'

export const appending = (adapter: LogAdapter) =>
  describe(`event log, appending and reading: ${adapter.name}`, () => {
    const fixture = useLogs(adapter)

    test('an append returns the positions of its records in order, and a read finds each record at its position', async () => {
      const { log } = await fixture.log([topic({ partitions: 3 })])
      const records = Array.from({ length: 20 }, (_, i) => keyless(`v${i}`, (i * 2) % 3))
      const positions = await log.append('spans', records)
      expect(positions.map(({ partition }) => partition)).toEqual(records.map(({ partition }) => partition))
      for (const [i, { partition, offset, timestampMs }] of positions.entries()) {
        const { records: found } = await log.read('spans', partition, offset, 1)
        expect(found).toHaveLength(1)
        expect({ ...found[0], value: text(found[0]!.value) }).toEqual({
          topic: 'spans',
          partition,
          offset,
          timestampMs,
          key: null,
          value: `v${i}`,
        })
      }
    })

    test('a key always maps to its murmur2 partition, unless the record names a partition', async () => {
      const { log } = await fixture.log([topic({ partitions: 7 })])
      const keys = Array.from({ length: 40 }, (_, i) => `project/trace-${i}`)
      const positions = await log.append(
        'spans',
        keys.map(key => keyed(key, 'v')),
      )
      expect(positions.map(({ partition }) => partition)).toEqual(keys.map(key => partitionOfKey(bytes(key), 7)))
      const [position] = await log.append('spans', [{ ...keyed(keys[0]!, 'v'), partition: 6 }])
      expect(position!.partition).toBe(6)
    })

    test('records without a key stay on one partition', async () => {
      const { log } = await fixture.log([topic({ partitions: 8 })])
      const positions = await log.append(
        'spans',
        Array.from({ length: 50 }, () => keyless('v')),
      )
      expect(new Set(positions.map(({ partition }) => partition)).size).toBe(1)
    })

    test('concurrent appends keep the order of the calls for each key', async () => {
      const { log } = await fixture.log([topic({ partitions: 4 })])
      await Promise.all(Array.from({ length: 200 }, (_, i) => log.append('spans', [keyed(`k${i % 5}`, `${i}`)])))
      for (let partition = 0; partition < 4; partition++) {
        const seen = new Map<string, number>()
        for (const { key, value } of await readAll(log, 'spans', partition)) {
          const number = Number(text(value))
          expect(number).toBeGreaterThan(seen.get(text(key)!) ?? -1)
          seen.set(text(key)!, number)
        }
      }
    })

    test('append times never decrease within a partition', async () => {
      const { log } = await fixture.log([topic()])
      for (let i = 0; i < 20; i++) await log.append('spans', [keyless(`${i}`)])
      const times = (await readAll(log, 'spans', 0)).map(({ timestampMs }) => timestampMs)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(times[0]).toBeGreaterThan(0)
    })

    test('empty and absent keys and values stay unchanged', async () => {
      const { log } = await fixture.log([topic()])
      const records: NewRecord[] = [
        { key: null, value: null },
        { key: bytes('k'), value: null },
        { key: bytes('k'), value: bytes('') },
        { key: null, value: bytes('') },
      ]
      await log.append('spans', records)
      const found = await readAll(log, 'spans', 0)
      expect(found.map(({ key, value }) => [text(key), text(value)])).toEqual(records.map(({ key, value }) => [text(key), text(value)]))
    })

    test('a read stops at its limit but returns at least one record; at the end of the partition it returns none', async () => {
      const { log } = await fixture.log([topic()])
      await log.append(
        'spans',
        ['a', 'b', 'c', 'd'].map(letter => keyless(letter.repeat(100))),
      )
      const first = await log.read('spans', 0, 0, 250)
      expect(values(first.records)).toEqual(['a'.repeat(100), 'b'.repeat(100)])
      expect(first).toMatchObject({ nextOffset: 2, highWatermark: 4 })
      expect((await log.read('spans', 0, 2, 1)).records).toHaveLength(1)
      expect(await log.read('spans', 0, 4, 100)).toEqual({ topic: 'spans', partition: 0, records: [], nextOffset: 4, highWatermark: 4 })
    })

    test('a record at the size limit is stored, and a larger record is refused together with its whole append', async () => {
      const limit = 8 * 1024 * 1024
      const { log } = await fixture.log([topic({ maxRecordBytes: limit })])
      const large = Buffer.alloc(limit, 'x')
      await log.append('spans', [{ key: null, value: large }])
      await expect(log.append('spans', [keyless('small'), { key: bytes('k'), value: large }])).rejects.toMatchObject({
        code: 'record_too_large',
      })
      const { records, highWatermark } = await log.read('spans', 0, 0, 1)
      expect(highWatermark).toBe(1)
      expect(large.equals(records[0]!.value!)).toBe(true)
    })

    test('records of every size, and views of larger memory, are read back unchanged', async () => {
      const { log } = await fixture.log([topic()])
      const memory = Uint8Array.from({ length: 100_000 }, (_, i) => (i * i) >> 4)
      const given = [1, 300, 2047, 2048, 2049, 5000, 60_000].map(size => ({
        key: memory.subarray(7, size),
        value: memory.subarray(3, size),
      }))
      await Promise.all([log.append('spans', given.slice(0, 3)), log.append('spans', given.slice(3))])
      const found = await readAll(log, 'spans', 0)
      for (const [i, { key, value }] of found.entries()) {
        expect(Buffer.compare(given[i]!.key, key!)).toBe(0)
        expect(Buffer.compare(given[i]!.value, value!)).toBe(0)
      }
      expect(found).toHaveLength(given.length)
    })

    test('records that were read stay unchanged when the log changes later', async () => {
      const retained = topic({ retentionMs: 1000 })
      const { log, store } = await fixture.log([retained])
      const original = Buffer.alloc(300_000, 'a')
      await log.append('spans', [{ key: null, value: original }])
      const { records } = await log.read('spans', 0, 0, 1)
      await store.age(log, 5000)
      for (let i = 0; i < 10; i++) await log.append('spans', [{ key: null, value: Buffer.alloc(300_000, `${i}`) }])
      expect(original.equals(records[0]!.value!)).toBe(true)
    })

    test('property: every partition holds exactly the records appended to it, in order, however they are read', async () => {
      const { log } = await fixture.log([topic({ partitions: 3 })])
      const model: string[][] = [[], [], []]
      const append = fc.array(fc.record({ partition: fc.nat(2), value: fc.string({ maxLength: 40 }) }), { minLength: 1, maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(fc.array(append, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 200 }), async (appends, maxBytes) => {
          await Promise.all(
            appends.map(records =>
              log.append(
                'spans',
                records.map(({ partition, value }) => keyless(value, partition)),
              ),
            ),
          )
          for (const { partition, value } of appends.flat()) model[partition]!.push(value)
          for (let partition = 0; partition < 3; partition++) {
            const from = Math.max(0, model[partition]!.length - 50)
            const found = await readAll(log, 'spans', partition, from, maxBytes)
            expect(values(found)).toEqual(model[partition]!.slice(from))
            expect(found.map(({ offset }) => offset)).toEqual(found.map((_, i) => from + i))
          }
        }),
        { numRuns: sized(15, 5) },
      )
    })

    test('the log id survives a restart and differs between logs', async () => {
      const topics = [topic()]
      const { log, store } = await fixture.log(topics)
      const id = log.logId('spans')
      const again = await fixture.reopen(log, store, topics)
      expect(again.logId('spans')).toBe(id)
      const { log: other } = await fixture.log(topics)
      expect(other.logId('spans')).not.toBe(id)
    })

    test('a description contains the number of records and the watermarks', async () => {
      const { log } = await fixture.log([topic({ partitions: 2 })])
      await log.append('spans', [keyless('a', 1), keyless('b', 1)])
      const [described] = await log.describe()
      expect(described!.partitions.map(({ partition, lowWatermark, highWatermark }) => [partition, lowWatermark, highWatermark])).toEqual([
        [0, 0, 0],
        [1, 0, 2],
      ])
    })
  })

import { AppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RowPlace } from '../src/destinations/row-encoder.ts'
import { recordsBefore } from '../src/insert/records-before.ts'
import { lastOfTies } from '../src/insert/ties.ts'

/** Simulates a partition in which some offsets have no record. The records below `low` have expired. */
function logOf(records: readonly LogRecord[], low: number) {
  let reads = 0
  const read: EventLog['read'] = async (topic, partition, from, maxBytes) => {
    reads += 1
    if (from < low) throw new AppError('offset_out_of_range', 'It is gone.')
    const high = (records.at(-1)?.offset ?? -1) + 1
    const found = records.filter(({ offset }) => offset >= from).slice(0, maxBytes === 1 ? 1 : 3)
    return { topic, partition, records: found, nextOffset: (found.at(-1)?.offset ?? high - 1) + 1, highWatermark: high }
  }
  return { log: { read }, reads: () => reads }
}

const recordAt = (offset: number, timestampMs: number): LogRecord => ({
  ...{ topic: 'spans.direct', partition: 0, offset, timestampMs, key: null, value: Buffer.from('a') },
})
const chunkOf = (records: readonly LogRecord[], first: number) => ({
  ...{ topic: 'spans.direct', partition: 0, first },
  items: records.filter(({ offset }) => offset >= first).map(position => ({ position })),
})

test('every record before the chunk with the chunk’s first millisecond is found, despite holes and retention', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ gap: fc.constantFrom(0, 0, 0, 1, 5, 40), later: fc.constantFrom(0, 0, 0, 0, 1) }), {
        minLength: 1,
        maxLength: 60,
      }),
      fc.nat(),
      fc.oneof(fc.constant(0), fc.nat({ max: 100 })),
      async (steps, of, low) => {
        let [offset, timestampMs] = [0, 1_000]
        const records = steps.map(({ gap, later }) => {
          timestampMs += later
          offset += gap + 1
          return recordAt(offset - 1, timestampMs)
        })
        const at = records[of % records.length]!
        const found = await recordsBefore(logOf(records, low).log, chunkOf(records, at.offset))
        expect(found).toEqual(records.filter(one => one.offset >= low && one.offset < at.offset && one.timestampMs === at.timestampMs))
      },
    ),
  ))

test('when the record before the chunk is older, no further record is read', async () => {
  const records = [recordAt(0, 999), recordAt(1, 1_000), recordAt(2, 1_001)]
  const { log, reads } = logOf(records, 0)
  expect(await recordsBefore(log, chunkOf(records, 2))).toEqual([])
  expect(reads()).toBe(1)
})

test('nothing is found before a chunk without records, or where retention deleted the records', async () => {
  const records = [recordAt(7, 1_000), recordAt(8, 1_000), recordAt(9, 1_000)]
  expect(await recordsBefore(logOf(records, 9).log, chunkOf(records, 9))).toEqual([])
  expect(await recordsBefore(logOf(records, 8).log, chunkOf(records, 9))).toEqual([records[1]])
  expect(await recordsBefore(logOf(records, 0).log, { ...chunkOf(records, 9), items: [] })).toEqual([])
})

test('of several rows with the same key and version, the last one is treated as tied', () => {
  const row = (key: string, versionUs: number): RowPlace => ({ key: [key], versionUs, offset: 0, index: 0 })
  const [a, b, newer] = [row('a', 1), row('b', 1), row('a', 2)]
  expect(lastOfTies([a, b, newer], [])).toEqual(new Set())
  expect(lastOfTies([a, b, newer, a, a], [])).toEqual(new Set([4]))
  expect(lastOfTies([a, b, newer], [b, newer])).toEqual(new Set([1, 2]))
})

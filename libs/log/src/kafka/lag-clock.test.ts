import { expect, test } from 'vitest'
import type { FetchedBatch, LogRecord } from '../port.ts'
import { createLagClock } from './lag-clock.ts'
import type { Reader } from './reader.ts'
import type { KafkaTopic } from './topics.ts'

const topic = { name: 't', spec: { name: 't', partitions: 1 } } as unknown as KafkaTopic
const nowMs = 10_000

/** Each batch covers ten offsets but has at most one record. Compaction or an aborted transaction leaves batches like this. */
function partitionOf(batches: readonly (number | null)[]) {
  const asked: (number | undefined)[] = []
  const highWatermark = batches.length * 10
  const reader = {
    async read(_topic: KafkaTopic, _partition: number, from: number, _maxBytes: number, fetchBytes?: number): Promise<FetchedBatch> {
      asked.push(fetchBytes)
      const at = Math.floor(from / 10)
      const last = fetchBytes === 1 ? at : Math.min(at + 1, batches.length - 1)
      const records: LogRecord[] = []
      for (let batch = at; batch <= last && records.length === 0; batch++) {
        const timestampMs = batches[batch] ?? null
        if (timestampMs !== null) records.push({ topic: 't', partition: 0, offset: batch * 10, timestampMs, key: null, value: null })
      }
      return { topic: 't', partition: 0, records, nextOffset: Math.min((last + 1) * 10, highWatermark), highWatermark }
    },
  }
  return { reader: reader as unknown as Reader, asked }
}

test('the age is the age of the first record, even after batches without records', async () => {
  const { reader } = partitionOf([null, null, null, 4_000, 9_000])
  expect(await createLagClock(reader, () => nowMs).ageOf(topic, 0, 3)).toBe(6_000)
})

test('the age is 0 when only markers follow until the end', async () => {
  const { reader } = partitionOf([null, null, null])
  expect(await createLagClock(reader, () => nowMs).ageOf(topic, 0, 0)).toBe(0)
})

test('one fetch suffices for a batch with a record, and a known age needs no fetch', async () => {
  const { reader, asked } = partitionOf([1_000, 2_000])
  const clock = createLagClock(reader, () => nowMs)
  expect(await clock.ageOf(topic, 0, 0)).toBe(9_000)
  expect(await clock.ageOf(topic, 0, 0)).toBe(9_000)
  expect(asked).toEqual([1])
})

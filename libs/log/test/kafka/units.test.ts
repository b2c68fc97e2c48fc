import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KafkaTopic } from '../../src/kafka/topics.ts'
import { createCutter } from '../../src/kafka/units.ts'
import { partitionOfKey } from '../../src/partitioner.ts'
import { bytes, keyed, keyless, topic } from '../conformance/harness.ts'

const kafkaTopic = (partitions: number, maxBatchBytes = 1 << 20): KafkaTopic => ({
  spec: topic({ partitions, maxRecordBytes: maxBatchBytes - 1024 }),
  name: 'svc.spans',
  id: 'id',
  maxBatchBytes,
})
const cutter = () => createCutter(() => 0)

test('property: every record of an append is in one unit, in order, and every unit fits into one batch', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ size: fc.nat(3000), partition: fc.option(fc.nat(3), { nil: undefined }), key: fc.option(fc.string(), { nil: null }) }),
      ),
      inputs => {
        const target = kafkaTopic(4, 5000)
        const records = inputs.map(({ size, partition, key }) => ({
          key: key === null ? null : bytes(key.slice(0, 50)),
          value: Buffer.alloc(size),
          ...(partition === undefined ? {} : { partition }),
        }))
        const units = cutter().cut(target, records)
        expect(units.flatMap(({ indexes }) => indexes).sort((a, b) => a - b)).toEqual(records.map((_, i) => i))
        const last = new Map<number, number>()
        for (const { indexes, messages, partition, bytes: size } of units) {
          expect(size + 72).toBeLessThanOrEqual(target.maxBatchBytes)
          for (const [i, index] of indexes.entries()) {
            expect(index).toBeGreaterThan(last.get(partition) ?? -1)
            last.set(partition, index)
            expect(messages[i]).toMatchObject({ partition, value: records[index]!.value })
            const { key, partition: given } = records[index]!
            if (given !== undefined || key !== null) expect(partition).toBe(given ?? partitionOfKey(key!, 4))
          }
        }
      },
    ),
  ))

test('records without a key avoid a partition, even queued records, while records with a key or a given partition stay', () => {
  const target = kafkaTopic(3)
  const cut = cutter()
  const [free] = cut.cut(target, [keyless('a')])
  const [tied] = cut.cut(target, [keyless('b', free!.partition)])
  expect([free!.isMovable, tied!.isMovable, cut.cut(target, [keyed('k', 'v')])[0]!.isMovable]).toEqual([true, false, false])

  cut.avoid(target, free!.partition)
  const moved = cut.move(free!)!
  expect(moved.partition).not.toBe(free!.partition)
  expect(moved.messages.map(({ partition }) => partition)).toEqual([moved.partition])
  expect(cut.cut(target, [keyless('c')])[0]!.partition).toBe(moved.partition)
  expect(cut.cut(target, [keyless('d', free!.partition)])[0]!.partition).toBe(free!.partition)

  cut.trust(target, free!.partition)
  expect(cut.cut(target, [keyless('e')])[0]!.partition).toBe(free!.partition)
})

test('records stay on their partition when all partitions are avoided', () => {
  const target = kafkaTopic(2)
  const cut = cutter()
  const [free] = cut.cut(target, [keyless('a')])
  for (const partition of [0, 1]) cut.avoid(target, partition)
  expect(cut.move(free!)).toBeUndefined()
  expect(cut.cut(target, [keyless('b')])[0]!.partition).toBe(free!.partition)
})

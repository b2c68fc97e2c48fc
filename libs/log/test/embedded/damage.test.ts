// F45: The store can be damaged in any way. The log must never skip a record silently, and it must halt only the damaged partition. An
// operator can then skip the damaged range. After that, the log must deliver every intact record.
import fc from 'fast-check'
import { type Database, open } from 'lmdb'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { EmbeddedLog } from '../../src/embedded/log.ts'
import type { LogRecord } from '../../src/port.ts'
import { collect, commitAll, keyed, keyless, readAll, topic, values, waitFor } from '../conformance/harness.ts'
import { openTestLog } from './embedded-log.ts'

type Rows = Database<Buffer, Buffer>
interface Tables {
  readonly index: Rows
  readonly batches: Rows
  readonly partitions: Database<Record<string, number>, [string, number]>
}

async function alter(directory: string, change: (tables: Tables) => Promise<unknown>): Promise<void> {
  const root = open({ path: directory, noSubdir: false, overlappingSync: false, maxDbs: 8 })
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  await change({
    index: root.openDB<Buffer, Buffer>({ name: 'index', ...binary }),
    batches: root.openDB<Buffer, Buffer>({ name: 'batches', ...binary }),
    partitions: root.openDB({ name: 'partitions', encoding: 'json' }),
  })
  await root.close()
}

const nth = (rows: Rows, number: number): { key: Buffer; value: Buffer } => {
  const all = [...rows.getRange()]
  const { key, value } = all[number % all.length]!
  return { key: Buffer.from(key), value: Buffer.from(value) }
}
const flipped = (value: Buffer, number: number): Buffer => {
  const changed = Buffer.from(value)
  changed[(number >> 3) % changed.length]! ^= 1 << (number % 8)
  return changed
}

const topics = [topic({ partitions: 2 }), topic({ name: 'other' })]
const places = [
  ['spans', 0],
  ['spans', 1],
  ['other', 0],
] as const

async function filled() {
  const opened = await openTestLog(topics)
  for (let batch = 0; batch < 3; batch++) {
    for (const [name, partition] of places) {
      await opened.log.append(
        name,
        [0, 1, 2].map(record => keyless(`${name}/${partition}/${batch * 3 + record}`, partition)),
      )
    }
  }
  await opened.log.close()
  return opened
}

async function consumed(log: EmbeddedLog) {
  const halts: { topic: string; partition: number; code: string }[] = []
  const got = await collect(
    log,
    { topics: ['spans', 'other'], maxWaitMs: 1, onPartitionHalted: (at, { code }) => void halts.push({ ...at, code }) },
    commitAll,
  )
  const of = (name: string, partition: number): LogRecord[] =>
    got.records().filter(record => record.topic === name && record.partition === partition)
  return { got, halts, of }
}

const wholeOf = (name: string, partition: number) => Array.from({ length: 9 }, (_, offset) => `${name}/${partition}/${offset}`)

test('F45 · when one of three batches is missing, nothing after it is delivered, other partitions continue, and the log reports the damage', async () => {
  const { directory, open: reopen } = await filled()
  await alter(directory, async ({ index, batches }) => {
    const { key } = nth(index, 1)
    await index.remove(key)
    await batches.remove(key)
  })
  const log = await reopen()
  const { got, halts, of } = await consumed(log)
  await waitFor(() => expect(halts).toMatchObject([{ topic: 'spans', partition: 0, code: 'log_corrupt' }]))
  await waitFor(() => expect(values(of('other', 0))).toEqual(wholeOf('other', 0)))
  await waitFor(() => expect(values(of('spans', 1))).toEqual(wholeOf('spans', 1)))
  expect(values(of('spans', 0))).toEqual(wholeOf('spans', 0).slice(0, 3))
  await expect(log.read('spans', 0, 3, 100)).rejects.toMatchObject({ code: 'log_corrupt', params: { from: 3, to: 6 } })

  // Without confirmation, `skip` only reports what it would skip.
  const plan = { lost: [{ from: 3, to: 6, reason: 'its records are not in the index' }], restored: [] }
  expect(await log.skip({ topic: 'spans', partition: 0 }, 6, { confirmed: false })).toEqual(plan)
  await expect(log.read('spans', 0, 3, 100)).rejects.toMatchObject({ code: 'log_corrupt' })
  expect(await log.skip({ topic: 'spans', partition: 0 }, 6, { confirmed: true })).toEqual(plan)
  await waitFor(() => expect(values(of('spans', 0))).toEqual(wholeOf('spans', 0).toSpliced(3, 3)))
  await got.consumer.stop()
  expect(
    got.batches
      .filter(({ topic, partition }) => topic === 'spans' && partition === 0)
      .map(({ records, nextOffset }) => [records[0]!.offset, nextOffset]),
  ).toEqual([
    [0, 3],
    [6, 9],
  ])
  await log.close()
  const again = await reopen()
  expect((await again.describe())[0]!.partitions[0]!.lost).toMatchObject([{ from: 3, to: 6 }])
  expect(values(await readAll(again, 'spans', 0))).toEqual(wholeOf('spans', 0).toSpliced(3, 3))
})

const damages = {
  'an entry of the index': ({ index }: Tables, number: number) => index.remove(nth(index, number).key),
  'the bytes of a batch': ({ batches }: Tables, number: number) => batches.remove(nth(batches, number).key),
  'both of a batch': async ({ index, batches }: Tables, number: number) => {
    const { key } = nth(index, number)
    await index.remove(key)
    return batches.remove(key)
  },
  'a bit of an entry': ({ index }: Tables, number: number) => {
    const { key, value } = nth(index, number)
    return index.put(key, flipped(value, number))
  },
  'the end of an entry': ({ index }: Tables, number: number) => {
    const { key, value } = nth(index, number)
    return index.put(key, value.subarray(0, number % 28))
  },
  'a bit of a batch': ({ batches }: Tables, number: number) => {
    const { key, value } = nth(batches, number)
    return batches.put(key, flipped(value, number))
  },
  'the row of a partition': ({ partitions }: Tables, number: number) => {
    const { key } = [...partitions.getRange()][number % 3]!
    return partitions.remove(key)
  },
  'the watermarks of a partition': ({ partitions }: Tables, number: number) => {
    const { key, value } = [...partitions.getRange()][number % 3]!
    return partitions.put(key, { ...value, low: number % 10, high: Math.max(number % 10, (number >> 4) % 12) })
  },
}
type What = keyof typeof damages

describe('F45 · any single piece is removed or altered', () => {
  test.for(Object.keys(damages) as What[])('%s', async what => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100_000), async number => {
        const { directory, open: reopen } = await filled()
        await alter(directory, async tables => damages[what](tables, number))
        const log = await reopen()
        const { got, halts, of } = await consumed(log)
        const isSettled = () =>
          places.every(
            ([name, partition]) => of(name, partition).length === 9 || halts.some(at => at.topic === name && at.partition === partition),
          )
        await waitFor(() => expect(isSettled()).toBe(true))
        const hurt = places.filter(([name, partition]) => of(name, partition).length < 9)
        expect(hurt.length).toBeLessThanOrEqual(1)
        for (const [name, partition] of places) {
          const delivered = values(of(name, partition))
          expect(delivered).toEqual(wholeOf(name, partition).slice(0, delivered.length))
        }
        for (const [name, partition] of hurt) {
          const { highWatermark } = (await log.describe()).find(({ spec }) => spec.name === name)!.partitions[partition]!
          const { lost } = await log.skip({ topic: name, partition }, highWatermark, { confirmed: true })
          const isLost = (offset: number) => lost.some(({ from, to }) => from <= offset && offset < to)
          const left = wholeOf(name, partition).filter((_, offset) => !isLost(offset))
          await waitFor(() => expect(values(of(name, partition))).toEqual(left))
          expect(left.length).toBeGreaterThanOrEqual(6)
          await waitFor(async () => expect((await log.committed('group', name)).get(partition)?.offset).toBe(highWatermark))
        }
        expect(got.fatal).toEqual([])
        await log.close()
      }),
      // With seed 50, the index entry of the last batch covers more offsets than the batch has.
      { numRuns: 5, examples: [[50]] },
    )
  })
})

test('holes of a compacted topic are not damage, but a missing batch is', async () => {
  const specs = [topic({ name: 'state', cleanup: 'compact' })]
  const { log, directory, open: reopen, clock } = await openTestLog(specs)
  for (let round = 0; round < 4; round++) await log.append('state', [keyed('a', `a ${round}`), keyed(`b ${round}`, 'b')])
  clock.nowMs += 1000
  await log.maintain()
  expect(values(await readAll(log, 'state', 0))).toEqual(['b', 'b', 'b', 'a 3', 'b'])
  expect(await log.skip({ topic: 'state', partition: 0 }, 8, { confirmed: true })).toEqual({ lost: [], restored: [] })
  await log.close()
  await alter(directory, ({ batches }) => batches.remove(nth(batches, 1).key))
  const again = await reopen()
  onTestFinished(() => again.close())
  await expect(readAll(again, 'state', 0)).rejects.toMatchObject({ code: 'log_corrupt', params: { from: 2, to: 4 } })
})

test('when housekeeping fails on one partition, it continues with the others, and the error names the failed partition', async () => {
  const specs = [topic({ name: 'state', cleanup: 'compact' }), topic({ retentionMs: 1000 })]
  const lines: { fields: object; message: string }[] = []
  const line = (fields: object, message: string) => void lines.push({ fields, message })
  const logger = { info: () => {}, warn: () => {}, error: line }
  const { log, directory, open: reopen, clock } = await openTestLog(specs, { logger })
  await log.append('state', [keyed('a', '1'), keyed('a', '2')])
  await log.append('spans', [keyless('old')])
  await log.close()
  await alter(directory, ({ batches }) => batches.remove(nth(batches, 0).key))
  const again = await reopen()
  clock.nowMs += 10_000
  await expect(again.maintain()).rejects.toMatchObject({ code: 'log_corrupt', params: { topic: 'state', partition: 0 } })
  expect((await again.describe()).map(({ partitions }) => partitions[0]!.lowWatermark)).toEqual([0, 1])
  expect(lines).toMatchObject([{ fields: { topic: 'state', partition: 0, err: { code: 'log_corrupt' } } }])
})

// On Kafka, commitWith commits the records and the position in one transaction. The tests cause faults at each step of the transaction.
import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { sized, type TcpProxy } from '@svc-server/testkit'
import kafkajs from 'kafkajs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { groupOnBrokers } from '../../src/kafka/group-name.ts'
import { bytes, collect, done, keyless, readAll, topic, values, waitFor } from '../conformance/harness.ts'
import { newPrefix, openTestLog } from './kafka-log.ts'

let cluster: KafkaCluster
let proxy: TcpProxy
beforeAll(async () => {
  cluster = await startKafkaCluster({ proxied: true })
  proxy = cluster.proxy(0)
}, 600_000)
afterAll(() => cluster?.stop())

const topics = [topic(), topic({ name: 'filled', partitions: 2 })]
const filled = (value: string) => new Map([['filled', [keyless(`${value} 0`, 0), keyless(`${value} 1`, 1)]]])

/** Creates a separate producer. This producer can leave transactions in states that the log itself never causes. */
async function foreignTransaction(topicName: string, transactionalId: string) {
  const kafka = new kafkajs.Kafka({ brokers: [...cluster.brokers], logLevel: kafkajs.logLevel.NOTHING, retry: { initialRetryTime: 20 } })
  const producer = kafka.producer({ transactionalId, transactionTimeout: 60_000, createPartitioner: () => () => 0 })
  await producer.connect()
  onTestFinished(() => producer.disconnect())
  const transaction = await producer.transaction()
  const send = (value: string) => transaction.send({ topic: topicName, messages: [{ value }] })
  const sendOffset = (consumerGroupId: string, offset: number) =>
    transaction.sendOffsets({ consumerGroupId, topics: [{ topic: topicName, partitions: [{ partition: 0, offset: String(offset) }] }] })
  return { send, sendOffset, commit: () => transaction.commit(), abort: () => transaction.abort() }
}

test('records of several partitions and the position become visible together, and a refused commit leaves nothing', async () => {
  const log = await openTestLog(cluster.brokers, topics)
  await log.append('spans', [keyless('a'), keyless('b')])
  const got = await collect(log, { topics: ['spans'] }, async (_, context) => {
    await expect(context.commitWith(1, 'no', new Map([['filled', [keyless('x', 7)]]]))).rejects.toThrow(RangeError)
    await context.commitWith(1, 'one', filled('first'))
    await context.commitWith(2, 'two', filled('second'))
    return done
  })
  await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 2, metadata: 'two' }))
  await got.consumer.stop()
  for (const partition of [0, 1]) {
    expect(values(await readAll(log, 'filled', partition))).toEqual([`first ${partition}`, `second ${partition}`])
  }
  expect(got.fatal).toEqual([])
})

test('aborted records are invisible to reads and consumers, even when aborted transactions overlap, and an open transaction holds readers back', async () => {
  const prefix = newPrefix()
  const log = await openTestLog(cluster.brokers, [topic({ name: 'filled' })], { prefix })
  const [a, b, c] = [
    await foreignTransaction(`${prefix}filled`, `${prefix}a`),
    await foreignTransaction(`${prefix}filled`, `${prefix}b`),
    await foreignTransaction(`${prefix}filled`, `${prefix}c`),
  ]
  await a.send('aborted a')
  await b.send('aborted b')
  await c.send('kept')
  await b.send('aborted b, too')
  await a.send('aborted a, too')
  await c.commit()
  expect(values(await readAll(log, 'filled', 0))).toEqual([])
  // Brokers list aborted transactions in the order in which they ended. Here, the transaction that began second ends first.
  await b.abort()
  await a.abort()
  const got = await collect(log, { topics: ['filled'], maxBatchBytes: 1 })
  await log.append('filled', [keyless('plain')])
  await waitFor(() => expect(values(got.records())).toEqual(['kept', 'plain']))
  await waitFor(async () => expect((await log.lag()).find(one => one.topic === 'filled')).toMatchObject({ lagRecords: 0 }))
  await got.consumer.stop()
  // Even if a read begins inside a transaction, it must return only committed records.
  const { highWatermark } = (await log.describe())[0]!.partitions[0]!
  for (let from = 0; from < highWatermark; from++) {
    const seen = values((await log.read('filled', 0, from, 1 << 20)).records)
    expect(['kept', 'plain'].join()).toContain(seen.join())
  }
})

test('the next owner ends the open transaction of a dead owner before it reads the position', async () => {
  const prefix = newPrefix()
  const log = await openTestLog(cluster.brokers, topics, { prefix, transactionTimeoutMs: 60_000 })
  await log.append('spans', [keyless('a')])
  const dead = await foreignTransaction(`${prefix}filled`, `${prefix}group/${prefix}spans/0`)
  await dead.send('left open')
  const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
    await context.commitWith(batch.nextOffset, 'next', filled('next'))
    return done
  })
  await waitFor(async () => expect(values(await readAll(log, 'filled', 0))).toEqual(['next 0']))
  await expect(dead.send('too late')).rejects.toThrow()
  await got.consumer.stop()
})

test('an owner whose id a zombie has taken proves its membership and continues', async () => {
  const prefix = newPrefix()
  const log = await openTestLog(cluster.brokers, topics, { prefix })
  await log.append('spans', [keyless('a')])
  const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
    if (batch.records[0]!.offset === 1) await foreignTransaction(`${prefix}filled`, `${prefix}group/${prefix}spans/0`)
    await context.commitWith(batch.nextOffset, '', filled(`${batch.records[0]!.offset}`))
    return done
  })
  await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(1))
  await log.append('spans', [keyless('b')])
  await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(2))
  expect(values(await readAll(log, 'filled', 0))).toEqual(['0 0', '1 0'])
  expect(got.fatal).toEqual([])
  await got.consumer.stop()
})

const faults = sized(30, 8)
test(`${faults} connection faults under commits with records: every record is committed once, and always with its position`, async () => {
  const log = await openTestLog(cluster.brokers, topics, { transactionTimeoutMs: 10_000 })
  const total = 4 * faults
  await log.append(
    'spans',
    Array.from({ length: total }, (_, i) => keyless(`${i}`)),
  )
  let steps = 0
  const got = await collect(log, { topics: ['spans'], maxBatchBytes: 1, maxWaitMs: 20 }, async ({ records, nextOffset }, context) => {
    steps++
    await context.commitWith(
      nextOffset,
      `up to ${nextOffset}`,
      new Map([['filled', [{ key: null, value: records[0]!.value, partition: 0 }]]]),
    )
    return done
  })
  const committed = async () => (await log.committed('group', 'spans')).get(0)?.offset ?? 0
  for (let fault = 0; fault < faults && steps < total; fault++) {
    const before = steps
    await waitFor(() => expect(steps).toBeGreaterThan(before + 1))
    proxy.dropDown()
    await new Promise(resolve => setTimeout(resolve, 10 + (fault % 3) * 10))
    proxy.resetAll()
    await proxy.pass()
  }
  await waitFor(async () => expect(await committed()).toBe(total))
  await got.consumer.stop()
  expect(got.fatal).toEqual([])
  console.info(`${total} transactions, ${steps} batches delivered`)
  expect((await readAll(log, 'filled', 0)).map(({ value }) => value)).toEqual(Array.from({ length: total }, (_, i) => bytes(`${i}`)))
})

test('F47 · the log waits for a position that a transaction is committing and does not use an older position', async () => {
  const prefix = newPrefix()
  const waits: string[] = []
  const warn = (fields: object, message: string) =>
    void (message === 'A partition assignment waits for the brokers' && waits.push(JSON.stringify(fields)))
  const logger = { info: () => {}, error: () => {}, warn }
  const log = await openTestLog(cluster.brokers, topics, { prefix, logger })
  await log.append('spans', [keyless('a'), keyless('b'), keyless('c')])
  const former = await foreignTransaction(`${prefix}spans`, `${prefix}former`)
  await former.send('d')
  // The call is repeated, because the first group on a broker must wait until the broker has a coordinator.
  await waitFor(() => former.sendOffset(groupOnBrokers(prefix, 'group'), 2))
  const positions: (number | undefined)[] = []
  const got = await collect(log, {
    topics: ['spans'],
    onAssigned: async partitions => {
      positions.push(...partitions.map(({ committed }) => committed?.offset))
      return []
    },
  })
  await waitFor(() => expect(waits.length + positions.length).toBeGreaterThan(0))
  expect(positions).toEqual([])
  expect(waits.join()).toContain('UNSTABLE_OFFSET_COMMIT')
  await former.commit()
  await waitFor(() => expect(values(got.records())).toEqual(['c', 'd']))
  expect(positions).toEqual([2])
  expect(got.fatal).toEqual([])
  await got.consumer.stop()
})

import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect, keyless, topic, waitFor } from '../conformance/harness.ts'
import { owning } from '../conformance/index.ts'
import { kafkaAdapter } from './adapter.ts'
import { openTestLog } from './kafka-log.ts'

let cluster: KafkaCluster
beforeAll(async () => {
  cluster = await startKafkaCluster({ proxied: true })
}, 600_000)
afterAll(() => cluster?.stop())

owning(
  kafkaAdapter(
    () => cluster.brokers,
    () => cluster.proxy(0),
  ),
)

// This test needs a broker of its own, because the shared broker checks retention too rarely.
test('F37 · a running member that retention overtakes ends with the lost range, and the commit stays unchanged', async () => {
  const small = topic({ retentionMs: 2000 })
  const log = await openTestLog(cluster.brokers, [small], { topicConfig: () => ({ 'segment.ms': '100' }) })
  const lowOf = async () => (await log.describe())[0]!.partitions[0]!.lowWatermark
  const got = await collect(log, { topics: ['spans'], group: 'overtaken' }, async (batch, context) => {
    if (batch.records[0]!.offset > 0) throw new Error('read on behind a hole')
    await context.commit(2, 'here')
    // The broker's retention deletes the segment while the handler is processing this batch.
    await waitFor(async () => {
      await log.append('spans', [keyless('later')])
      expect(await lowOf()).toBeGreaterThanOrEqual(5)
    })
    return { kind: 'pause', afterMs: 0 }
  })
  // The member has joined before the test appends these records. Otherwise, retention could delete them before the member reads them.
  await log.append(
    'spans',
    Array.from({ length: 5 }, (_, i) => keyless(`${i}`)),
  )
  await waitFor(() => expect(got.fatal).toHaveLength(1))
  expect(got.fatal[0]).toMatchObject({ code: 'offset_out_of_range', params: { topic: 'spans', partition: 0, offset: 2 } })
  await got.consumer.stop()
  expect(got.batches).toHaveLength(1)
  expect((await log.committed('overtaken', 'spans')).get(0)).toEqual({ offset: 2, metadata: 'here' })
})

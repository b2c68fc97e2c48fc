import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { slackMs } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect, topic, waitFor } from '../conformance/harness.ts'
import { openTestLog } from './kafka-log.ts'
import { appendConcurrently } from './ledger.ts'

let cluster: KafkaCluster
beforeAll(async () => {
  cluster = await startKafkaCluster({ brokers: 3, own: true })
}, 600_000)
afterAll(() => cluster?.stop())

test('F03 · when one of three brokers is killed under load, every append settles in time, no record is lost, and readers continue', async () => {
  const ackTimeoutMs = 4000
  const log = await openTestLog(cluster.brokers, [topic({ partitions: 6 })], { ackTimeoutMs })
  expect(log.warnings).toEqual([])
  const got = await collect(log, { topics: ['spans'], maxWaitMs: 200 })
  const ledger = appendConcurrently(log, { topic: 'spans', partitions: 6, loops: 12 })
  await waitFor(() => expect(ledger.acknowledged).toBeGreaterThan(300))

  await cluster.kill(1)
  const before = ledger.acknowledged
  await waitFor(() => expect(ledger.acknowledged).toBeGreaterThan(before + 1000))
  expect(log.reachable()).toBe(true)
  await ledger.stop()
  console.info(
    `F03: ${ledger.acknowledged} acknowledged, ${ledger.refused.length} refused, slowest answer ${Math.round(ledger.slowestMs)} ms`,
  )
  // Every append must end within its time budget. The test allows each append extra time beyond its budget (`slackMs`), because timers can
  // fire late on a busy machine.
  expect(ledger.slowestMs).toBeLessThan(ackTimeoutMs + slackMs(1000))
  expect((await ledger.compare()).lost).toBe(0)
  await waitFor(() => expect(got.records().length).toBeGreaterThanOrEqual(ledger.acknowledged))
  expect(got.fatal).toEqual([])

  await cluster.restart(1)
  const again = appendConcurrently(log, { topic: 'spans', partitions: 6, loops: 12 })
  await waitFor(() => expect(again.acknowledged).toBeGreaterThan(600))
  await again.stop()
  await got.consumer.stop()
})

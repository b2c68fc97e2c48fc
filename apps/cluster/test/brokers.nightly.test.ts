// Tests the whole cluster while one of its three brokers fails. The suite libs/log/test/kafka/replication.test.ts tests the log without the
// other services.
import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { openTestCluster } from './cluster.ts'
import { expectConserved } from './conserved.ts'
import { createLoad, sendLoad } from './load.ts'

const ackTimeoutMs = 4000
const slackMs = 1000

test('F03 · one of three brokers is killed under load: requests get a 200 within the budget, and every span is stored once', async () => {
  const kafka: KafkaCluster = await startKafkaCluster({ brokers: 3, own: true })
  try {
    const cluster = await openTestCluster({
      SVC_CLUSTER_GATEWAYS: '1',
      SVC_CLUSTER_WRITERS: '1',
      SVC_KAFKA_BROKERS: kafka.brokers.join(','),
      SVC_LOG_ACK_TIMEOUT_MS: String(ackTimeoutMs),
    })
    try {
      let acknowledged = 0
      const load = createLoad('one of three', 20_000)
      const sending = sendLoad(cluster.running, { load, concurrency: 4, onAcknowledged: spans => (acknowledged = spans) })
      sending.catch(() => {})
      await waitFor(() => acknowledged >= load.spans / 5, { what: 'the load to run' })
      await kafka.kill(1)
      const atKill = acknowledged
      const sent = await sending
      expect(atKill).toBeLessThan(load.spans)
      expect(sent.statuses).toEqual({ 200: load.requests })
      expect(sent.slowestMs).toBeLessThan(ackTimeoutMs + slackMs)
      const conserved = await expectConserved(cluster, [sent])
      expect(conserved.rows).toBe(conserved.acknowledged)
      console.info(`F03: killed after ${atKill} spans, slowest answer ${Math.round(sent.slowestMs)} ms; ${JSON.stringify(conserved)}`)
    } finally {
      await cluster.close()
    }
  } finally {
    await kafka.stop()
  }
}, 300_000)

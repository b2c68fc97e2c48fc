// Brokers that go away: gateways say so at once and come back by themselves; with replicas nobody notices.
import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { openTestCluster } from './cluster.ts'
import { expectConserved } from './conserved.ts'
import { createLoad, post, sendLoad } from './load.ts'

const ackTimeoutMs = 4000
/** What timers and sockets of a busy machine add. */
const slackMs = 1000

test('F02 · all brokers down: 503 with Retry-After, within a second once that is known; recovery without a restart', async () => {
  const cluster = await openTestCluster()
  try {
    const { running } = cluster
    const kafka = running.stores.kafka!
    const before = await sendLoad(running, { load: createLoad('before', 4_000) })
    const whileDown = createLoad('while the broker is down', 100)
    const { body } = whileDown.request(0)
    const refusals = async () => {
      const answers = await Promise.all(running.gateways.map(({ url }) => post(running, url, body)))
      for (const { status, headers } of answers) {
        expect(status).toBe(503)
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      }
      return Math.max(...answers.map(({ tookMs }) => tookMs))
    }

    const slowest: Record<string, number> = {}
    const faults = {
      killed: { begin: () => kafka.kill(0), end: () => kafka.restart(0) },
      // It keeps its connections and answers nothing: only time tells.
      silent: { begin: async () => kafka.pause(0), end: async () => kafka.resume(0) },
    }
    let refused = 0
    const after = []
    for (const [name, { begin, end }] of Object.entries(faults)) {
      await begin()
      const first = await refusals()
      expect(first).toBeLessThan(ackTimeoutMs + slackMs)
      const known = []
      for (let again = 0; again < 5; again++) known.push(await refusals())
      slowest[`${name}, first`] = Math.round(first)
      slowest[`${name}, known`] = Math.round(Math.max(...known))
      expect(Math.max(...known)).toBeLessThan(1000)
      refused += 6 * running.gateways.length
      await end()
      // The sender waits for the first 200 as exporters do: by asking again.
      after.push(await sendLoad(running, { load: createLoad(`after it was ${name}`, 4_000) }))
    }
    for (const { running: runs } of [...running.gateways, ...running.writers]) expect(runs).toBe(true)
    // An exporter sends again what was refused; some of it may be on the log already.
    const last = await sendLoad(running, { load: whileDown })
    const sent = [before, ...after, { ...last, sentAgain: last.sentAgain + refused * 100 }]
    const conserved = await expectConserved(cluster, sent)
    console.info(`F02: slowest refusal in ms ${JSON.stringify(slowest)}; ${JSON.stringify(conserved)}`)
  } finally {
    await cluster.close()
  }
}, 300_000)

test('F03 · one of three brokers killed under load: every request answered 200 within the budget, all of it stored once', async () => {
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
      await waitFor(() => acknowledged >= load.spans / 5, { timeoutMs: 60_000, what: 'the load to run' })
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

// All brokers of a cluster fail. The gateways report the failure immediately, and recover without a restart.
import { isAlone, slackMs } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { openTestCluster } from './cluster.ts'
import { expectConserved } from './conserved.ts'
import { createLoad, post, sendLoad } from './load.ts'

const ackTimeoutMs = 4000
const spans = 4_000
/** A gateway that has noticed the outage responds within this limit. */
const knownMs = slackMs(1000, ackTimeoutMs * 0.75)

test('F02 · while all brokers are down, gateways respond 503 with Retry-After, immediately once they know of the outage, and recover without a restart', async () => {
  const cluster = await openTestCluster({}, { ownBroker: true })
  try {
    const { running } = cluster
    const kafka = running.stores.kafka!
    const before = await sendLoad(running, { load: createLoad('before', spans) })
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
      // The broker keeps its connections open but does not respond. The gateway notices this failure only by a timeout.
      silent: { begin: async () => kafka.pause(0), end: async () => kafka.resume(0) },
    }
    let refused = 0
    const after = []
    for (const [name, { begin, end }] of Object.entries(faults)) {
      await begin()
      const first = await refusals()
      expect(first).toBeLessThan(ackTimeoutMs + slackMs(1000))
      const known = []
      for (let again = 0; again < 5; again++) known.push(await refusals())
      slowest[`${name}, first`] = Math.round(first)
      slowest[`${name}, known`] = Math.round(Math.max(...known))
      // On a busy machine, some requests are slow. The test then checks the median of the response times instead of the maximum.
      expect(isAlone ? Math.max(...known) : known.toSorted((a, b) => a - b)[2]).toBeLessThan(knownMs)
      refused += 6 * running.gateways.length
      await end()
      after.push(await sendLoad(running, { load: createLoad(`after it was ${name}`, spans) }))
    }
    for (const { running: runs } of [...running.gateways, ...running.writers]) expect(runs).toBe(true)
    // The brokers have possibly stored some of the refused requests, each with 100 spans. These spans therefore count in `sentAgain`.
    // `expectConserved` accepts at most `sentAgain` rows more than acknowledged spans.
    const last = await sendLoad(running, { load: whileDown })
    const sent = [before, ...after, { ...last, sentAgain: last.sentAgain + refused * 100 }]
    const conserved = await expectConserved(cluster, sent)
    console.info(`F02: slowest refusal in ms ${JSON.stringify(slowest)}; ${JSON.stringify(conserved)}`)
  } finally {
    await cluster.close()
  }
}, 300_000)

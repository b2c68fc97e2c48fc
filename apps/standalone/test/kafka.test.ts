// Runs a standalone with its event log on Kafka.
import { randomUUID } from 'node:crypto'
import { type SharedKafka, sharedKafka } from '@svc-server/dev-servers/shared-kafka'
import { createSpanGenerator, inNightly, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { freePorts, type Instance, type Ports, ready, startInstance } from './instance.ts'
import { sendAll } from './sender.ts'

let kafka: SharedKafka
let directory: TemporaryDirectory
let ports: Ports
beforeAll(async () => {
  kafka = await sharedKafka()
  directory = await instanceDirectory()
  ports = await freePorts()
}, 600_000)
afterAll(async () => {
  await directory?.remove()
  await kafka?.stop()
})

const generator = createSpanGenerator({ seed: 'standalone on kafka', startTimeMs: Date.now() - 5_000, spansPerRequest: 25 })
let acknowledged = 0

async function send(instance: Instance, count: number): Promise<void> {
  const requests = Array.from({ length: count }, () => generator.next())
  // If the gateway refused a request, the client would send its spans again, and the counts would not be exact.
  const sent = await sendAll({ url: instance.tracesUrl, requests, concurrency: 2 })
  expect(sent.map(({ attempts }) => attempts)).toEqual(requests.map(() => 1))
  acknowledged += requests.reduce((sum, { spans }) => sum + spans.length, 0)
}

async function expectStored(instance: Instance): Promise<void> {
  // A row of events_full becomes visible before the view's row in events_core, so the test waits for both tables.
  const rows = async () => [
    await instance.count('SELECT count() AS n FROM events_full'),
    await instance.count('SELECT count() AS n FROM events_core'),
  ]
  await waitFor(async () => (await rows()).every(count => count >= acknowledged), {
    what: `${acknowledged} rows in both tables`,
    everyMs: 100,
  })
  expect(await rows()).toEqual([acknowledged, acknowledged])
}

const topicPrefix = `t${randomUUID()}.`

async function storesItsOwnSpans(): Promise<void> {
  const onKafka = { SVC_LOG: 'kafka', SVC_KAFKA_BROKERS: kafka.brokers.join(','), SVC_TOPIC_PREFIX: topicPrefix }
  const instance = await ready(startInstance(directory.path, ports, onKafka))
  try {
    await expectStored(instance)
    await send(instance, 4)
    await expectStored(instance)
    const metrics = async () => (await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/metrics`)).text()
    await waitFor(async () => /^svc_writer_spans_total\{outcome="stored"[^}]*\} 100$/m.test(await metrics()), {
      what: 'this start to have stored its own spans and no others',
    })
  } finally {
    const code = await instance.end('SIGINT')
    expect(code, instance.output()).toBe(0)
  }
}

test('with SVC_LOG=kafka, a span becomes a row', storesItsOwnSpans)

inNightly(() => test('spans that were stored before a restart are not stored again', storesItsOwnSpans))

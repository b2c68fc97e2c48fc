// An instance sends its own traces to itself by OTLP. These traces must become rows, but sending the traces must not create further traces.
import { createSpanGenerator, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { authorization, freePorts, type Instance, ready, startInstance } from './instance.ts'
import { sendAll } from './sender.ts'

let directory: TemporaryDirectory
let instance: Instance
beforeAll(async () => {
  directory = await instanceDirectory()
  const ports = await freePorts()
  const url = `http://127.0.0.1:${ports.SVC_OTLP_PORT}/api/public/otel/v1/traces`
  const headers = `authorization=${encodeURIComponent(authorization)},x-svc-ingestion-version=4`
  instance = await ready(startInstance(directory.path, ports, { SVC_TRACES_URL: url, SVC_TRACES_HEADERS: headers, SVC_TRACES_RATIO: '1' }))
})
afterAll(async () => {
  await instance?.end('SIGINT')
  await directory.remove()
})

interface Row {
  readonly name: string
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id: string
}

test('a request, its writes to the log, a fetch and its inserts are spans, each below the span that caused it', async () => {
  const generator = createSpanGenerator({ seed: 'own', startTimeMs: Date.now() - 1000, spansPerRequest: 5 })
  await sendAll({ url: instance.tracesUrl, requests: [generator.next()], concurrency: 1 })
  const refused = await fetch(instance.tracesUrl, { method: 'POST', headers: { authorization, 'content-type': 'text/plain' }, body: 'x' })
  expect(refused.status).toBe(415)

  const own = () =>
    instance.query<Row>("SELECT name, trace_id, span_id, parent_span_id FROM events_full FINAL WHERE service_name = 'standalone'")
  const under = (rows: readonly Row[], child: string, parent: string) =>
    rows.some(
      row =>
        row.name === child &&
        rows.some(({ name, span_id, trace_id }) => [name, span_id, trace_id].join() === [parent, row.parent_span_id, row.trace_id].join()),
    )
  await waitFor(
    async () => {
      const rows = await own()
      return under(rows, 'send spans.direct', 'http traces') && under(rows, 'INSERT events_full', 'process spans.direct')
    },
    { what: 'the spans of its own work' },
  )
  const perSecond = async () => {
    const [before, atMs] = [(await own()).length, Date.now()]
    await new Promise(resolve => setTimeout(resolve, 6_000))
    return ((await own()).length - before) / ((Date.now() - atMs) / 1000)
  }
  expect(await perSecond()).toBeLessThan(100)
})

// Tests F26 and F50 with requests that are within every limit. Each of these requests keeps the encoding thread busy for a second.
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createSpanGenerator, encodeTraceRequest, sized, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from '../directory.ts'
import { authorization, freePorts, type Instance, ready, startInstance } from '../instance.ts'
import { createNeighbor } from './neighbor.ts'

let directory: TemporaryDirectory
let instance: Instance
let neighbor: string
beforeAll(async () => {
  directory = await instanceDirectory()
  const ports = await freePorts()
  instance = await ready(startInstance(directory.path, ports))
  neighbor = await createNeighbor(directory.path, ports)
})
afterAll(async () => {
  await instance.end('SIGKILL')
  await directory.remove()
})

function send(body: Uint8Array, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/x-protobuf', 'content-length': body.length, 'x-svc-ingestion-version': '4', ...headers }
    const sent = request(instance.tracesUrl, { method: 'POST', headers: all }, response => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    sent.on('error', reject).end(body)
  })
}

/** Returns a request with one span. Mapping the span's metadata takes half of the work that one request may cause. */
function dearRequest(spanId: string): Buffer {
  const span = {
    traceId: spanId.repeat(2),
    spanId,
    name: 'dear',
    startTimeUnixNano: BigInt(Date.now()) * 1_000_000n,
    attributes: [{ key: 'svc.observation.metadata', value: { stringValue: `[${'1,'.repeat(250_000)}1]` } }],
  }
  return gzipSync(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))
}

const rowsOf = (project: string) =>
  instance.count(`SELECT uniqExact(trace_id, span_id) AS n FROM events_full WHERE project_id = '${project}'`)

test('F26 · a neighbor’s spans are stored before the spans of small requests that are expensive to map, and all spans are stored', async () => {
  const flood = sized(40, 6)
  const atOnce = flood / 4
  const bodies = Array.from({ length: flood }, (_, i) => dearRequest((i + 1).toString(16).padStart(16, '0')))
  const generator = createSpanGenerator({ seed: 'beside', startTimeMs: Date.now(), spansPerRequest: 3 })
  let sent = 0
  for (let from = 0; from < flood; from += atOnce) {
    const statuses = await Promise.all(
      bodies.slice(from, from + atOnce).map(body => send(body, { authorization, 'content-encoding': 'gzip' })),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await send(generator.next().protobuf, { authorization: neighbor })).toBe(200)
    sent += 3
  }
  await waitFor(async () => (await rowsOf('neighbor')) === sent, { what: 'the neighbor’s rows' })
  // If all projects shared a queue, the neighbor's last span would be stored after nearly all spans of the flood.
  expect(await rowsOf('default-project')).toBeLessThan(flood * 0.8)
  await waitFor(async () => (await rowsOf('default-project')) === flood, { timeoutMs: 240_000, what: 'the flood’s rows' })
}, 360_000)

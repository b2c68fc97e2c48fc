// The memory of all processes of `npm start` stays below 4 GB while one client sends large spans and other clients read them.
import { randomBytes } from 'node:crypto'
import { anonymousMB, encodeTraceRequest, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization, freePorts, ready, startInstance } from './instance.ts'
import { sendAll } from './sender.ts'

const spans = 2000
const spansPerRequest = 4
const inputBytes = 500_000
const text = randomBytes(4_000_000).toString('hex')

const spanOf = (index: number) => {
  const at = (index * 7919) % (text.length - inputBytes)
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'large',
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano,
    attributes: [{ key: 'svc.observation.input', value: { stringValue: text.slice(at, at + inputBytes) } }],
  }
}

function* requestsOf(count: number) {
  for (let first = 0; first < count; first += spansPerRequest) {
    const request = { resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: spansPerRequest }, (_, i) => spanOf(first + i)) }] }] }
    yield { projectId: '', request, protobuf: encodeTraceRequest(request), json: new Uint8Array(), spans: [] }
  }
}

const statements = [
  'SELECT max(length(input)), uniqExact(input), uniqExact(output) FROM events_full',
  'SELECT * FROM events_full ORDER BY input DESC LIMIT 50',
  'SELECT groupArray(input) FROM events_full GROUP BY name',
]
const pages = [
  '/api/public/v2/observations?fields=core,basic,io,metadata&limit=1000',
  `/api/public/v2/metrics?query=${encodeURIComponent(
    JSON.stringify({
      view: 'observations',
      metrics: [{ measure: 'count', aggregation: 'count' }],
      dimensions: [{ field: 'name' }],
      fromTimestamp: new Date(Date.now() - 3_600_000).toISOString(),
      toTimestamp: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  )}`,
]

test('with a flood of large spans and heavy reads, the process tree stays below 4 GB, and no span is lost', async () => {
  await using directory = await temporaryDirectory()
  const asStarted = { UV_THREADPOOL_SIZE: '8', MALLOC_ARENA_MAX: '2', SVC_LOG_LEVEL: 'warn' }
  const instance = await ready(startInstance(directory.path, await freePorts(), asStarted))
  const pids = [instance.process.pid!, instance.enginePid()]
  let mostMB = 0
  const watching = setInterval(
    () =>
      (mostMB = Math.max(
        mostMB,
        pids.map(anonymousMB).reduce((a, b) => a + b),
      )),
    50,
  )

  let isOver = false
  let pagesRead = 0
  async function readAll(turn: number): Promise<void> {
    for (; !isOver; turn++) {
      // The engine may refuse these statements if memory is short.
      if (turn % 2 === 0) await instance.query(statements[(turn / 2) % statements.length]!).catch(() => [])
      const page = pages[turn % pages.length]!
      const response = await fetch(`http://127.0.0.1:${instance.ports.PORT}${page}`, { headers: { authorization } })
      await response.arrayBuffer()
      if (response.ok) pagesRead++
    }
  }
  const readers = Array.from({ length: 6 }, (_, i) => readAll(i))
  await sendAll({ url: instance.tracesUrl, requests: [...requestsOf(spans)], concurrency: 8 })
  const stored = async () => (await instance.count('SELECT uniqExact(span_id) AS n FROM events_full').catch(() => 0)) >= spans
  await waitFor(stored, { what: 'every span to be stored', timeoutMs: 600_000, everyMs: 1000 })
  isOver = true
  await Promise.all(readers)
  clearInterval(watching)

  expect(pagesRead).toBeGreaterThan(0)
  expect(await instance.count('SELECT count() AS n FROM events_full FINAL')).toBe(spans)
  expect(instance.enginePid()).toBe(pids[1])
  expect(mostMB).toBeLessThan(4_000_000_000 / 1024 ** 2)
  expect(await instance.end('SIGINT')).toBe(0)
})

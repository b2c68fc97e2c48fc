// Measures how much other work in a standalone delays the gateway's responses. In one part of the bench, the writer drains a backlog. In
// the other part, ten clients send heavy reads. The bench prints the p99 of small requests under this load, divided by the p99 without
// load. On Linux, it also prints how long the main thread waited for a processor.
import { existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createSpanGenerator, quantile, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { authorization, freePorts, type Instance, ready, startInstance } from '../test/instance.ts'
import { sendAll } from '../test/sender.ts'

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '60000' },
    probes: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(
    'interference: [--spans N] backlog that is drained (60000), [--probes N] requests measured while idle and beside reads (2000)\n',
  )
  process.exit(0)
}
const spansPerRequest = 100

/** Sends requests of 10 spans until `goOn` returns false. Returns the response times in milliseconds. */
async function probe(instance: Instance, seed: string, goOn: (sent: number) => boolean): Promise<number[]> {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 1000, spansPerRequest: 10 })
  const times: number[] = []
  while (goOn(times.length)) {
    const requests = [generator.next()]
    const startedAt = performance.now()
    await sendAll({ url: instance.tracesUrl, requests, concurrency: 1 })
    times.push(performance.now() - startedAt)
  }
  return times.sort((a, b) => a - b)
}

/** Returns the milliseconds for which the main thread was ready to run but had no processor. */
function waitedMs(instance: Instance): number {
  const file = `/proc/${instance.process.pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : 0
}

const range = {
  fromTimestamp: new Date(Date.now() - 86_400_000).toISOString(),
  toTimestamp: new Date(Date.now() + 3_600_000).toISOString(),
}
const metrics = (query: object) =>
  `/v2/metrics?query=${encodeURIComponent(JSON.stringify({ view: 'observations', dimensions: [], filters: [], ...range, ...query }))}`
const list = (condition: object) =>
  `/v2/observations?limit=1000&fields=core,basic,io,metadata&filter=${encodeURIComponent(JSON.stringify([condition]))}`
/** Each of these reads scans every row. */
const heavyReads = [
  metrics({
    metrics: ['latency', 'totalTokens'].map(measure => ({ measure, aggregation: 'p95' })),
    ...{ dimensions: [{ field: 'name' }], timeDimension: { granularity: 'hour' } },
  }),
  metrics({ metrics: [{ measure: 'traceId', aggregation: 'uniq' }], dimensions: [{ field: 'metadata.attempt' }] }),
  list({ type: 'stringObject', column: 'metadata', key: 'attempt', operator: 'contains', value: 'nowhere' }),
  list({ type: 'string', column: 'name', operator: 'contains', value: 'nowhere' }),
]

/** Measures the gateway's response times while ten clients read. */
async function probeUnderReads(instance: Instance, seed: string, probes: number) {
  const statuses: Record<string, number> = {}
  let isOver = false
  const clients = Array.from({ length: 10 }, async (_, client) => {
    for (let at = client; !isOver; at++) {
      const path = heavyReads[at % heavyReads.length]!
      const response = await fetch(`http://127.0.0.1:${instance.ports.PORT}/api/public${path}`, { headers: { authorization } })
      await response.arrayBuffer()
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
    }
  })
  const before = waitedMs(instance)
  const times = await probe(instance, seed, sent => sent < probes)
  const waitMs = waitedMs(instance) - before
  isOver = true
  await Promise.all(clients)
  return { times, waitMs, statuses }
}

await using directory = await temporaryDirectory()
const instance = await ready(startInstance(directory.path, await freePorts(), { SVC_LOG_LEVEL: 'warn' }))
const count = () => instance.count('SELECT count() AS n FROM events_full')

await probe(instance, 'warm', sent => sent < 100)
const idle = await probe(instance, 'idle', sent => sent < Number(values.probes))
await waitFor(async () => (await count()) === (100 + idle.length) * 10, { timeoutMs: 60_000, what: 'the probes to be stored' })

process.kill(instance.enginePid(), 'SIGSTOP')
const generator = createSpanGenerator({ seed: 'backlog', startTimeMs: Date.now() - 60_000, spansPerRequest })
const requests = Array.from({ length: Number(values.spans) / spansPerRequest }, () => generator.next())
await sendAll({ url: instance.tracesUrl, requests, concurrency: 8 })
process.kill(instance.enginePid(), 'SIGCONT')
const drainedFrom = performance.now()
let lagging = true
const watching = (async () => {
  while (lagging) lagging = (await count().catch(() => 0)) < (100 + idle.length) * 10 + Number(values.spans)
})()
const draining = await probe(instance, 'draining', () => lagging)
await watching
const drainSeconds = (performance.now() - drainedFrom) / 1000

// The bench alternates between short rounds without reads and short rounds with reads. Load of other programs then affects both results
// equally.
const quiet: number[] = []
const reading: number[] = []
const reads: Record<string, number>[] = []
const waits = { quiet: 0, reading: 0 }
const rounds = 20
for (let round = 0; round < rounds; round++) {
  const before = waitedMs(instance)
  for (const time of await probe(instance, `quiet ${round}`, sent => sent < Number(values.probes) / rounds)) quiet.push(time)
  waits.quiet += waitedMs(instance) - before
  const { times, waitMs, statuses } = await probeUnderReads(instance, `reading ${round}`, Number(values.probes) / rounds)
  for (const time of times) reading.push(time)
  waits.reading += waitMs
  reads.push(statuses)
}
for (const times of [quiet, reading]) times.sort((a, b) => a - b)
const exitCode = await instance.end('SIGINT')

const figures = {
  bench: 'interference',
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`,
  spans: Number(values.spans),
  drainSeconds,
  idle: { requests: idle.length, p50Ms: quantile(idle, 0.5), p99Ms: quantile(idle, 0.99) },
  draining: { requests: draining.length, p50Ms: quantile(draining, 0.5), p99Ms: quantile(draining, 0.99) },
  ratioP99: quantile(draining, 0.99) / quantile(idle, 0.99),
  quiet: { requests: quiet.length, p50Ms: quantile(quiet, 0.5), p99Ms: quantile(quiet, 0.99), waitMs: waits.quiet / quiet.length },
  reading: {
    ...{ requests: reading.length, p50Ms: quantile(reading, 0.5), p99Ms: quantile(reading, 0.99) },
    ...{ waitMs: waits.reading / reading.length, statuses: reads },
  },
  ratioP99OfReads: quantile(reading, 0.99) / quantile(quiet, 0.99),
  exitCode,
}
process.stdout.write(
  `gateway p99 while the writer drains ÷ idle: ${figures.ratioP99.toFixed(2)}; while ten clients read ÷ not: ${figures.ratioP99OfReads.toFixed(2)}\n${JSON.stringify(figures)}\n`,
)

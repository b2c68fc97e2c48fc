// Measures how long staged spans take to become readable in a standalone. The part `latency` sends spans at a steady rate, and measures the
// time from the acknowledgement of a span until its row is readable. The part `backlog` writes spans to the log while no propagator runs,
// and measures how long the propagator then needs for these spans. Usage: npm run bench -- propagation -- latency [--rate 1000] [--seconds
// 600] [--window 180], or npm run bench -- propagation -- backlog [--spans 1080000] [--rate 300] [--window 180]
import { createHash } from 'node:crypto'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { zstdCompressSync } from 'node:zlib'
import type { NewRecord } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { sliceByTrace } from '@svc-server/otlp/cut'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { createSpanGenerator, type GeneratedRequest, processCpuMs, quantile, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { freePorts, type Instance, ready, startInstance } from '../test/instance.ts'
import { sendAll } from '../test/sender.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    spans: { type: 'string', default: '1080000' },
    window: { type: 'string', default: '180' },
    help: { type: 'boolean', default: false },
  },
})
const [part = ''] = positionals
if (values.help || !['latency', 'backlog'].includes(part)) {
  process.stdout.write(
    'propagation: latency [--rate 1000] [--seconds 600] [--window 180] | backlog [--spans 1080000] [--rate 300] [--window 180]\n',
  )
  process.exit(values.help ? 0 : 2)
}
const spansPerRequest = 100
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
const tenths = (value: number) => Number(value.toFixed(1))
const environment = { SVC_LOG_LEVEL: 'warn', SVC_PROPAGATION_WINDOW_SECONDS: values.window }
const rowsOf = (instance: Instance) => instance.count('SELECT count() AS n FROM events_full').catch(() => 0)

async function metric(instance: Instance, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${instance.ports.SVC_WORKER_PORT}/metrics`)).text()
  return text
    .split('\n')
    .filter(line => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** Chooses one span from every fifth request, and measures the time from the acknowledgement of the span until its row is readable. */
async function latency(directory: string, rate: number) {
  const instance = await ready(startInstance(directory, await freePorts(), environment))
  const generator = createSpanGenerator({ seed: 'latency', startTimeMs: Date.now(), spansPerRequest })
  const count = Math.ceil((rate * Number(values.seconds)) / spansPerRequest)
  const waiting = new Map<string, number>()
  const delays: number[] = []
  let sending = true

  const watching = (async () => {
    while (sending || waiting.size > 0) {
      const ids = [...waiting.keys()]
      if (ids.length > 0) {
        const found = await instance
          .query<{ span_id: string }>(
            `SELECT span_id FROM events_full WHERE project_id = 'default-project' AND span_id IN (${ids.map(id => `'${id}'`).join(',')})`,
          )
          .catch(() => [])
        const now = performance.now()
        for (const { span_id: id } of found) {
          const at = waiting.get(id)
          if (at !== undefined) delays.push((now - at) / 1000)
          waiting.delete(id)
        }
      }
      await sleep(1000)
    }
  })()
  const startedAt = performance.now()
  const inFlight = new Set<Promise<void>>()
  for (let index = 0; index < count; index++) {
    const request = generator.next()
    await sleep(Math.max(0, startedAt + ((index * spansPerRequest) / rate) * 1000 - performance.now()))
    const sent = sendAll({
      url: instance.tracesUrl,
      requests: [request],
      concurrency: 1,
      headers: { 'x-svc-ingestion-version': '3' },
    }).then(() => {
      if (index % 5 === 0) waiting.set(request.spans.at(-1)!.spanId, performance.now())
    })
    inFlight.add(sent)
    void sent.then(() => inFlight.delete(sent))
  }
  await Promise.all(inFlight)
  sending = false
  const sentSeconds = (performance.now() - startedAt) / 1000
  await watching
  const sorted = delays.toSorted((a, b) => a - b)
  const figures = {
    spans: count * spansPerRequest,
    spansPerSecond: Math.round((count * spansPerRequest) / sentSeconds),
    measured: sorted.length,
    secondsToReadable: {
      p50: tenths(quantile(sorted, 0.5)),
      p95: tenths(quantile(sorted, 0.95)),
      max: tenths(sorted.at(-1) ?? Number.NaN),
    },
    republishedSpans: await metric(instance, 'svc_propagator_republished_spans_total'),
    exitCode: await instance.end('SIGINT'),
  }
  process.stdout.write(`readable after p50 ${figures.secondsToReadable.p50} s, p95 ${figures.secondsToReadable.p95} s\n`)
  return figures
}

function stagedRecords({ protobuf, projectId: _ }: GeneratedRequest, receivedAtMs: number): NewRecord[] {
  const scan = scanTraceRequest(protobuf, { receivedAtMs, maxAgeMonths: 96 })
  return [...sliceByTrace(protobuf, scan)].map(([traceId, { payload, spanCount }]) => ({
    key: Buffer.from(`default-project/${traceId}`),
    value: encodeSpanBatch({
      projectId: 'default-project',
      apiKey: 'pk-svc-bench',
      sdkName: 'python',
      sdkVersion: '3.0.0',
      ingestionVersion: 3,
      receivedAtMs,
      ingestId: createHash('md5').update(traceId).digest('hex'),
      contentEncoding: 'zstd',
      decodedBytes: payload.length,
      spanCount,
      payload: zstdCompressSync(payload),
      traceAttributes: null,
    }),
  }))
}

/**
 * Writes a log with old staged spans, as after a failure of the propagator. Then the function starts the standalone and measures how long
 * the propagator needs for these spans.
 */
async function backlog(directory: string, rate: number) {
  const spans = Number(values.spans)
  const seconds = spans / rate
  const endMs = Date.now() - 1000
  let nowMs = endMs - seconds * 1000
  const topics = topicSpecs({ embedded: true, enabledReaders: [groupNames.writer, groupNames.propagator] })
  const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics, clock: () => nowMs })
  const generator = createSpanGenerator({ seed: 'backlog', startTimeMs: nowMs, spansPerRequest })
  for (let sent = 0; sent < spans; sent += spansPerRequest) {
    nowMs = Math.round(endMs - ((spans - sent) / rate) * 1000)
    await log.append(topicNames.staging, stagedRecords(generator.next(), nowMs))
  }
  await log.close()

  const instance = startInstance(directory, await freePorts(), environment)
  await ready(instance)
  const startedAt = performance.now()
  const cpuBefore = { js: processCpuMs(instance.process.pid!), engine: processCpuMs(instance.enginePid()) }
  const progress = setInterval(
    () =>
      void rowsOf(instance).then(rows => process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${rows} rows\n`)),
    10_000,
  )
  await waitFor(async () => (await metric(instance, 'svc_propagator_spans_total')) >= spans, {
    timeoutMs: 3_600_000,
    what: 'the backlog to be propagated',
    everyMs: 500,
  })
  const propagatedSeconds = (performance.now() - startedAt) / 1000
  const unique = () => instance.count('SELECT uniqExact(trace_id, span_id) AS n FROM events_full').catch(() => 0)
  await waitFor(async () => (await rowsOf(instance)) >= spans && (await unique()) >= spans, {
    timeoutMs: 3_600_000,
    what: 'the backlog to be readable',
    everyMs: 1000,
  })
  clearInterval(progress)
  const readableSeconds = (performance.now() - startedAt) / 1000
  const perThousand = (ms: number) => tenths((ms / spans) * 1000)
  const figures = {
    spans,
    hours: tenths(seconds / 3600),
    propagatedSeconds: tenths(propagatedSeconds),
    readableSeconds: tenths(readableSeconds),
    spansPerSecond: Math.round(spans / readableSeconds),
    cpuMsPer1000Spans: {
      standalone: perThousand(processCpuMs(instance.process.pid!) - cpuBefore.js),
      engine: perThousand(processCpuMs(instance.enginePid()) - cpuBefore.engine),
    },
    republishedSpans: await metric(instance, 'svc_propagator_republished_spans_total'),
    rows: await rowsOf(instance),
    exitCode: await instance.end('SIGINT'),
  }
  process.stdout.write(
    `${spans} spans of ${figures.hours} h: propagated after ${figures.propagatedSeconds} s, readable after ${figures.readableSeconds} s\n`,
  )
  return figures
}

await using directory = await temporaryDirectory('svc-propagation-bench-')
const figures =
  part === 'latency'
    ? await latency(directory.path, Number(values.rate ?? 1000))
    : await backlog(directory.path, Number(values.rate ?? 300))
process.stdout.write(`${JSON.stringify({ bench: `propagation ${part}`, machine, windowSeconds: Number(values.window), ...figures })}\n`)

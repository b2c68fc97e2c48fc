// For each window length, measures how many spans are published twice, and how much CPU time a span costs. Run `npm run bench -- windows --
// [--minutes 30] [--traces-per-second 20] [--windows 15,60,180]`. The root of a trace ends and arrives last, as in OpenTelemetry. Only the
// root has the attributes `user.id` and `session.id`, so spans that were published before the root must be published again. A trace lasts
// 30 s on average. The log's clock is simulated. All spans are on the log before the propagator starts.
import { cpSync, mkdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { NewRecord } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createRandom, encodeTraceRequest, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { createStagingPropagator } from '../src/app.ts'
import { propagatorConfig, propagatorVariables } from '../src/settings.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    'traces-per-second': { type: 'string', default: '20' },
    windows: { type: 'string', default: '15,60,180' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('windows: [--minutes 30] of traffic, [--traces-per-second 20], [--windows 15,60,180] seconds\n')
  process.exit(0)
}
const minutes = Number(values.minutes)
const tracesPerSecond = Number(values['traces-per-second'])
const spansPerTrace = 8
const meanTraceSeconds = 30
const startMs = Date.UTC(2026, 0, 1)

const random = createRandom('windows')
const uniform = () => random.integer(1, 1_000_000) / 1_000_000
const hex = (digits: number) =>
  Array.from({ length: digits / 8 }, () => random.integer(0, 0xffffffff).toString(16).padStart(8, '0')).join('')

interface Arrival {
  readonly atMs: number
  readonly traceId: string
  readonly isRoot: boolean
  readonly startMs: number
}

function arrivals(): Arrival[] {
  const all: Arrival[] = []
  for (let traceNumber = 0; traceNumber < minutes * 60 * tracesPerSecond; traceNumber++) {
    const begunMs = startMs + (traceNumber / tracesPerSecond) * 1000
    const lifeMs = -Math.log(uniform()) * meanTraceSeconds * 1000
    const traceId = hex(32)
    for (let span = 0; span < spansPerTrace; span++) {
      const isRoot = span === spansPerTrace - 1
      const endedMs = begunMs + (isRoot ? lifeMs : lifeMs * uniform())
      // An exporter sends a batch every five seconds.
      all.push({ atMs: Math.round(endedMs + 5000 * uniform()), traceId, isRoot, startMs: begunMs })
    }
  }
  return all.sort((a, b) => a.atMs - b.atMs)
}

function record({ traceId, isRoot, startMs: begunMs, atMs }: Arrival): NewRecord {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
  const payload = encodeTraceRequest({
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', 'assistant'), text('deployment.environment.name', 'production')] },
        scopeSpans: [
          {
            spans: [
              {
                traceId,
                spanId: hex(16),
                ...(isRoot ? {} : { parentSpanId: '00000000000000ff' }),
                name: isRoot ? 'answer' : 'step',
                startTimeUnixNano: BigInt(Math.round(begunMs)) * 1_000_000n,
                endTimeUnixNano: BigInt(atMs) * 1_000_000n,
                attributes: [
                  ...(isRoot ? [text('user.id', `user-${traceId.slice(0, 4)}`), text('session.id', traceId.slice(0, 8))] : []),
                  text('gen_ai.request.model', 'gpt-4.1'),
                  text('input.value', 'What is the capital of France?'),
                ],
              },
            ],
          },
        ],
      },
    ],
  })
  const value = encodeSpanBatch({
    projectId: 'bench',
    apiKey: 'pk',
    sdkName: '',
    sdkVersion: '',
    ingestionVersion: 3,
    receivedAtMs: atMs,
    ingestId: '',
    contentEncoding: 'identity',
    decodedBytes: payload.length,
    spanCount: 1,
    payload,
    traceAttributes: null,
  })
  return { key: Buffer.from(`bench/${traceId}`), value }
}

await using directory = await temporaryDirectory('svc-windows-bench-')
const topics = topicSpecs({ embedded: true, enabledReaders: [groupNames.propagator] })
let nowMs = startMs
const clock = () => nowMs
const filled = join(directory.path, 'staged')
const staged = arrivals()
{
  const log = await openEmbeddedLog({ directory: filled, topics, clock })
  // Appends the spans of each half second together, with one append time.
  for (let from = 0; from < staged.length; ) {
    const until = staged[from]!.atMs + 500
    let to = from
    while (to < staged.length && staged[to]!.atMs < until) to++
    nowMs = until
    await log.append(topicNames.staging, staged.slice(from, to).map(record))
    from = to
  }
  await log.close()
}

async function run(windowSeconds: number) {
  const own = join(directory.path, `windows-${windowSeconds}`)
  mkdirSync(own)
  cpSync(filled, join(own, 'log'), { recursive: true })
  const openedAt = performance.now()
  const beganMs = nowMs + 3_600_000
  const log = await openEmbeddedLog({ directory: join(own, 'log'), topics, clock: () => beganMs + performance.now() - openedAt })
  const registry = createMetricRegistry({ version: 'bench' })
  const health = createHealth()
  const env = loadSettings(
    [propagatorVariables],
    {
      SVC_PROPAGATION_WINDOW_SECONDS: String(windowSeconds),
      SVC_PROPAGATION_REPAIR_BYTES_PER_SECOND: '1024MiB',
    },
    { service: 'bench' },
  ).of(propagatorVariables)
  const propagator = createStagingPropagator(propagatorConfig(env), {
    log,
    directory: join(own, 'state'),
    logger: createLogger({ service: 'bench', level: 'warn' }),
    metrics: registry,
    health,
    clock: Date.now,
    onBug: error => {
      throw error
    },
  })
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await propagator.start()
  const isDone = async () => {
    const lag = await log.lag()
    return lag.every(each => each.group !== groupNames.propagator || each.lagRecords === 0)
  }
  await waitFor(isDone, { timeoutMs: 1_800_000, what: 'the backlog to be propagated', everyMs: 100 })
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  const text = await registry.render()
  await propagator.drain()
  await log.close()
  const metric = (name: string) =>
    text
      .split('\n')
      .filter(line => line.startsWith(name))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  return {
    windowSeconds,
    windows: metric('svc_propagator_windows_total'),
    late: metric('svc_propagator_late_spans_total'),
    republished: metric('svc_propagator_republished_spans_total'),
    republishedShare: Number((metric('svc_propagator_republished_spans_total') / staged.length).toFixed(3)),
    seconds: Number(seconds.toFixed(1)),
    spansPerSecond: Math.round(staged.length / seconds),
    cpuMsPer1000Spans: Number((((cpu.user + cpu.system) / 1000 / staged.length) * 1000).toFixed(1)),
  }
}

const results: Awaited<ReturnType<typeof run>>[] = []
for (const window of values.windows.split(',').map(Number)) {
  const result = await run(window)
  results.push(result)
  process.stdout.write(
    `windows of ${window} s: ${(result.republishedShare * 100).toFixed(1)} % of ${staged.length} spans published again, ` +
      `${result.spansPerSecond} spans/s, ${result.cpuMsPer1000Spans} ms CPU per 1,000\n`,
  )
}
process.stdout.write(
  `${JSON.stringify({ bench: 'windows', machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`, minutes, tracesPerSecond, spansPerTrace, meanTraceSeconds, results })}\n`,
)

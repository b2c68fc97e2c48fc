// Compares our gateway and writer with two OpenTelemetry Collectors. Both sides move the same spans from OTLP over Kafka to the column
// store. The bench prints CPU seconds per 100,000 spans, and divides our CPU seconds by the CPU seconds of the Collectors. In the part
// `live`, the process that writes to Kafka and the process that reads from Kafka run at the same time. In the part `backlog`, the reading
// process is stopped until all spans are on Kafka, so that each process is measured alone. The printed ratios come from `backlog`. The CPU
// time of the broker, the client and the column store is not counted. Both sides send their inserts to a sink in this process, which counts
// and discards the inserts. Our audit therefore reports all spans as missing, but the audit takes the same CPU time as if the spans were
// stored. With --stored, the sink forwards our writer's inserts to the engine. Usage: npm run bench -- collector -- [--spans N]
// [--warm-spans N] [--connections N] [--stored]
import { Agent } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openTestCluster, type TestCluster } from '../../../apps/cluster/test/cluster.ts'
import { createLoad, post } from '../../../apps/cluster/test/load.ts'
import { openKafkaLog } from '../../../libs/log/src/kafka/log.ts'
import { topicNames } from '../../../libs/modes/src/names.ts'
import { topicSpecs } from '../../../libs/schema/src/topics.ts'
import { processCpuMs, temporaryDirectory, threadCpuMs, waitFor } from '../../../libs/testkit/src/index.ts'
import { ensureProgram } from '../../programs/programs.ts'
import { type Compression, startBack, startFront } from '../otelcol.ts'
import { createSink, type Sink } from '../sink.ts'

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '100000' },
    // Number of spans that are sent before the measurement. Node compiles the code during this time. Compiled code is twice as fast.
    'warm-spans': { type: 'string', default: '60000' },
    connections: { type: 'string', default: '8' },
    stored: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [spans, warmSpans, connections] = (['spans', 'warm-spans', 'connections'] as const).map(name => Number(values[name])) as [
  number,
  number,
  number,
]
if (values.help || [spans, warmSpans, connections].some(value => !(value > 0))) {
  process.stdout.write('--spans N (100000)  --warm-spans N (60000)  --connections N (8)  --stored\n')
  process.exit(values.help ? 0 : 2)
}

interface Part {
  readonly pid: number
  /** True if the process runs on Node. The bench then also reports the CPU time of each thread. */
  readonly isNode: boolean
  signal(signal: NodeJS.Signals): void
}

interface Side {
  readonly url: string
  /** The process that receives OTLP and writes to Kafka. */
  readonly front: Part
  /** The process that reads from Kafka and writes to the column store. */
  readonly back: Part
  readonly sink: Sink
}

interface Spans {
  readonly count: number
  readonly bodies: readonly Buffer[]
}

/** Creates the requests before the measurement, because compressing them takes longer than some of the measured work. */
function spansOf(seed: string, count: number): Spans {
  const load = createLoad(seed, count, { gzipLevel: 6 })
  return { count: load.spans, bodies: Array.from({ length: load.requests }, (_, at) => load.request(at).body) }
}

const round = (value: number) => Number(value.toFixed(2))

const cpuOf = ({ pid, isNode }: Part): Record<string, number> => ({ all: processCpuMs(pid), ...(isNode && threadCpuMs(pid)) })

/** CPU seconds per 100,000 spans. For a Node process, there is also a value for each thread. */
type Cost = Readonly<Record<string, number>> & { readonly all: number }

const costSince = (before: Record<string, number>, part: Part, { count }: Spans): Cost =>
  Object.fromEntries(Object.entries(cpuOf(part)).map(([role, ms]) => [role, round(((ms - before[role]!) / count) * 100)])) as Cost

/** The process that the bench has paused and not yet resumed. If the bench is interrupted, it must resume this process before it exits. */
let halted: Part | undefined
process.on('exit', () => halted?.signal('SIGCONT'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

async function send(cluster: TestCluster, url: string, { bodies }: Spans): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = 0
  const lane = async () => {
    for (let at = next++; at < bodies.length; at = next++) {
      const { status, body } = await post(cluster.running, url, bodies[at]!, { agent })
      if (status !== 200) throw new Error(`${url} answers ${status}: ${body.toString()}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  agent.destroy()
}

/** After the last row, the processes need this time to commit offsets and to collect garbage. */
const settleMs = 3_000

async function run(cluster: TestCluster, { url, front, back, sink }: Side, sent: Spans, isBacklog: boolean) {
  const { rows, inserts } = sink
  const before = { front: cpuOf(front), back: cpuOf(back) }
  if (isBacklog) (halted = back).signal('SIGSTOP')
  const startedAt = performance.now()
  await send(cluster, url, sent)
  const frontCost = costSince(before.front, front, sent)
  const sentAt = performance.now()
  if (isBacklog) back.signal('SIGCONT')
  halted = undefined
  await waitFor(() => sink.rows >= rows + sent.count, { what: 'every span to arrive', timeoutMs: 300_000, everyMs: 50 })
  const arrivedAt = performance.now()
  await sleep(settleMs)
  if (sink.rows !== rows + sent.count) throw new Error(`${sent.count} spans were sent, ${sink.rows - rows} rows arrived.`)
  return {
    front: frontCost,
    back: costSince(before.back, back, sent),
    rowsPerInsert: Math.round(sent.count / (sink.inserts - inserts)),
    sendingSeconds: round((sentAt - startedAt) / 1000),
    arrivingSeconds: round((arrivedAt - (isBacklog ? sentAt : startedAt)) / 1000),
  }
}

async function measure(cluster: TestCluster, side: Side, [warm, first, second]: readonly [Spans, Spans, Spans]) {
  await run(cluster, side, warm, false)
  return { live: await run(cluster, side, first, false), backlog: await run(cluster, side, second, true) }
}

type Measured = Awaited<ReturnType<typeof measure>>
type Loads = Parameters<typeof measure>[2]

const topicOf = (compress: Compression) => `otlp_spans_${compress}`

async function measureCollector(cluster: TestCluster, directory: string, loads: Loads, compress: Compression): Promise<Measured> {
  const place = { directory, brokers: cluster.running.stores.kafka!.brokers, topic: topicOf(compress) }
  const sink = await createSink({ table: 'otel_traces' })
  const { url, child: front } = await startFront(place)
  const back = await startBack(place, sink.url, compress)
  try {
    const parts = [front, back].map(({ pid, signal }): Part => ({ pid, isNode: false, signal })) as [Part, Part]
    return await measure(cluster, { url, front: parts[0], back: parts[1], sink }, loads)
  } finally {
    for (const child of [front, back]) child.signal('SIGTERM')
    await Promise.all([front.ended(), back.ended()])
    await sink.close()
  }
}

/** Measures our gateway and writer. At the end, both are stopped, so that they use no CPU time during later measurements. */
async function measureOurs(cluster: TestCluster, loads: Loads): Promise<Measured> {
  const { gateways, writers, stores } = cluster.running
  const [gateway, writer] = [gateways[0]!, writers[0]!]
  const sink = await createSink({ table: 'events_full', others: stores.columnStore.url, stores: values.stored })
  await writer.stop()
  await writer.start({ COLUMNSTORE_URL: sink.url })
  const [front, back] = [gateway, writer].map(({ pid, signal }): Part => ({ pid: pid!, isNode: true, signal })) as [Part, Part]
  const measured = await measure(cluster, { url: gateway.url, front, back, sink }, loads)
  await gateway.stop()
  await writer.stop()
  await sink.close()
  return measured
}

await ensureProgram('otelcol-kafka')
const loads = [spansOf('warm', warmSpans), spansOf('live', spans), spansOf('backlog', spans)] as const
const direct = topicSpecs({ embedded: false, enabledReaders: [] }).find(({ name }) => name === topicNames.direct)!
const one = Object.fromEntries(['GATEWAYS', 'WRITERS', 'PROPAGATORS', 'APIS'].map(kind => [`SVC_CLUSTER_${kind}`, '1']))
const directory = await temporaryDirectory('svc-collector-')
const cluster = await openTestCluster(one, { ownBroker: true })
try {
  const topics = (['none', 'lz4'] as const).map(compress => ({ ...direct, name: topicOf(compress) }))
  const log = await openKafkaLog({ brokers: cluster.running.stores.kafka!.brokers, topics })
  await log.close()
  const none = await measureCollector(cluster, directory.path, loads, 'none')
  const ours = await measureOurs(cluster, loads)
  const lz4 = await measureCollector(cluster, directory.path, loads, 'lz4')

  const ratiosOf = (phase: keyof Measured) => {
    const front = (none[phase].front.all + lz4[phase].front.all) / 2
    const { front: gateway, back: writer } = ours[phase]
    const whole = (theirs: Measured) => round((gateway.all + writer.all) / (front + theirs[phase].back.all))
    return {
      gateway: round(gateway.all / front),
      writerToNone: round(writer.all / none[phase].back.all),
      writerToLz4: round(writer.all / lz4[phase].back.all),
      wholeToNone: whole(none),
      wholeToLz4: whole(lz4),
    }
  }
  const figures = {
    bench: 'collector',
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
    spans: loads[1].count,
    warmSpans: loads[0].count,
    stored: values.stored,
    secondsPer100000: { collectorNone: none, ours, collectorLz4: lz4 },
    oursToTheirs: { live: ratiosOf('live'), backlog: ratiosOf('backlog') },
  }
  console.log(JSON.stringify(figures, null, 2))
} finally {
  await cluster.close()
  await directory.remove()
}

// Measures the CPU time of a span in the gateway and in the writer. The measurement in the gateway covers the path from the socket to the
// log. The measurement in the writer ends when the span is in a Native block. For comparison, protobufjs or JSON.parse decodes the same
// bodies. Run `node services/otlp-gateway/bench/gateway.bench.ts [--log embedded|kafka] [--kind 'protobuf gzip'] [requests]`. The
// CPU time includes all threads of this process. The client and the broker run in other processes, so their CPU time does not count.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { closeServer, createConnectionLimits, createStreamServer, listen } from '@svc-server/http/listeners'
import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { openKafkaLog } from '@svc-server/log/kafka'
import { topicNames } from '@svc-server/modes/names'
import { createChunkEncoder } from '@svc-server/observations/block/chunk-encoder'
import { topicSpecs } from '@svc-server/schema/topics'
import { loadSettings } from '@svc-server/service/configuration'
import { clientServerOptions } from '@svc-server/service/connections'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { processCpuMs, referenceCodec, temporaryDirectory } from '@svc-server/testkit'
import { createOtlpGateway } from '../src/app.ts'
import { gatewayConfig, gatewayVariables } from '../src/settings.ts'
import { type Bodies, bodiesOf, type Kind, kinds, spansPerRequest } from './bodies.ts'
import type { Round } from './client.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    log: { type: 'string', default: 'embedded' },
    kind: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
})
const chosen = kinds.filter(kind => values.kind?.includes(kind) ?? true)
if (values.help || !['embedded', 'kafka'].includes(values.log) || chosen.length < (values.kind?.length ?? 1)) {
  process.stdout.write(`[--log embedded|kafka] [--kind '${kinds.join("'|'")}' ...] [requests per round (400)]\n`)
  process.exit(values.help ? 0 : 2)
}
const kafka = values.log === 'kafka' ? await startKafkaCluster({ own: true }) : undefined
const brokerCpuMs = () => kafka?.pids().reduce((sum, pid) => sum + processCpuMs(pid), 0) ?? 0
await using directory = await temporaryDirectory('svc-gateway-bench-')
const topics = topicSpecs({ embedded: kafka === undefined, enabledReaders: ['svc.writer'] })
const log = kafka ? await openKafkaLog({ brokers: kafka.brokers, topics }) : await openEmbeddedLog({ directory: directory.path, topics })

const requests = Number(positionals[0] ?? 400)
const connections = 4

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Copies of a round's records. The bench uses no real log, so that it measures the gateway alone. After the round, the writer's encoder
 * reads these copies. The memory is allocated beforehand, so that the copies cause no garbage collections.
 */
const kept: Uint8Array[] = []
const keptBytes = Buffer.alloc(512 * 1024 * 1024)
let keptUntil = 0
const noLog: Pick<EventLog, 'append'> = {
  append: async (_, records) => {
    for (const { value } of records) {
      if (!value) continue
      if (keptUntil + value.length > keptBytes.length)
        throw new Error('A round has too many requests: the bench cannot keep all of their records.')
      keptBytes.set(value, keptUntil)
      kept.push(keptBytes.subarray(keptUntil, (keptUntil += value.length)))
    }
    return []
  },
}

let recordBytesPerSpan = 0

const encoder = createChunkEncoder()
function encodeKept(): void {
  const records = kept.map((value, offset) => ({ topic: topicNames.direct, partition: 0, offset, timestampMs: Date.now(), value }))
  recordBytesPerSpan = kept.reduce((sum, { length }) => sum + length, 0) / spansPerRound
  const { body, spans } = encoder.encode(records)
  if (spans !== spansPerRound) throw new Error(`${spans} spans came out of ${spansPerRound}`)
  encoder.recycle(body)
}

const rounds = 5
const spansPerRound = requests * spansPerRequest

interface Cost {
  readonly cpuMsPer1000Spans: number
  readonly brokerMsPer1000Spans: number
  readonly spansPerSecond: number
}

const noCost: Cost = { cpuMsPer1000Spans: 0, brokerMsPer1000Spans: 0, spansPerSecond: 0 }
const isProtobuf = (kind: Kind) => kind.startsWith('protobuf')

/** Returns the median of several rounds. The result of a single round depends too much on other load of the machine. */
const median = (costs: readonly Cost[]): Cost => costs.toSorted((a, b) => a.cpuMsPer1000Spans - b.cpuMsPer1000Spans)[costs.length >> 1]!

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [cpuBefore, brokerBefore, before] = [cpuMs(), brokerCpuMs(), performance.now()]
  await work()
  const seconds = (performance.now() - before) / 1000
  return {
    cpuMsPer1000Spans: ((cpuMs() - cpuBefore) / spansPerRound) * 1000,
    brokerMsPer1000Spans: ((brokerCpuMs() - brokerBefore) / spansPerRound) * 1000,
    spansPerSecond: spansPerRound / seconds,
  }
}

async function openGateway(log: Pick<EventLog, 'append'>) {
  const config = gatewayConfig(loadSettings([gatewayVariables], {}, { service: 'bench' }).of(gatewayVariables))
  const gateway = createOtlpGateway(config, {
    log,
    authenticate: async () => ({ accessLevel: 'project', orgId: 'bench', projectId: 'bench', apiKeyId: 'bench', publicKey: 'bench' }),
    logger: createLogger({ service: 'bench', level: 'error' }),
    metrics: createMetricRegistry({ runtime: false }),
    clock: Date.now,
  })
  const server = createServer(clientServerOptions(config), gateway.handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await gateway.start()
  const { port } = server.address() as AddressInfo
  const streamServer = createStreamServer({
    handle: gateway.handleStream,
    onDefect: error => console.error(error),
    connections: createConnectionLimits({ maxConnections: 100 }),
    ...{ idleMs: 60_000, firstStreamMs: 15_000, answerMs: 30_000 },
  })
  const { port: grpcPort } = await listen(streamServer, { host: '127.0.0.1', port: 0, variable: '' })
  const close = async () => {
    await gateway.drain()
    await closeServer(streamServer, { graceMs: 0 })
    server.close()
    server.closeAllConnections()
  }
  return { port, grpcPort, close }
}

function decodeAll({ bodies, contentEncoding, contentType }: Bodies): void {
  const plain = (body: Buffer) => (contentEncoding === 'gzip' ? gunzipSync(body) : body)
  const json = contentType.endsWith('json')
  for (let i = 0; i < requests; i++) {
    const body = plain(bodies[i % bodies.length]!)
    if (json) JSON.parse(body.toString())
    else referenceCodec.decode(body)
  }
}

const parts = ['reference', 'alone', 'grpc', 'writer', 'withLog'] as const
type Part = (typeof parts)[number]

async function measure(kind: Kind, log: EventLog) {
  const bodies = bodiesOf(kind)
  const gateways = { alone: await openGateway(noLog), withLog: await openGateway(log) }
  const client = fork(new URL('./client.ts', import.meta.url))
  client.on('exit', code => code && process.exit(code))
  await once(client, 'message')
  const send = async (port: number, protocol: Round['protocol'] = 'http') => {
    client.send({ kind, protocol, port, connections, requests } satisfies Round)
    await once(client, 'message')
  }
  const costs: Record<Part, Cost[]> = { reference: [], alone: [], grpc: [], writer: [], withLog: [] }
  // The variants alternate, so that other load of the machine affects all variants equally. The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    kept.length = 0
    keptUntil = 0
    const turn = {
      reference: await cost(async () => decodeAll(bodies)),
      alone: await cost(() => send(gateways.alone.port)),
      writer: await cost(async () => encodeKept()),
      grpc: isProtobuf(kind) ? await cost(() => send(gateways.alone.grpcPort, 'grpc')) : noCost,
      withLog: await cost(() => send(gateways.withLog.port)),
    }
    if (round > 0) for (const name of parts) costs[name].push(turn[name])
  }
  client.kill()
  await gateways.alone.close()
  await gateways.withLog.close()
  return {
    bodies,
    reference: median(costs.reference),
    alone: median(costs.alone),
    grpc: median(costs.grpc),
    writer: median(costs.writer),
    withLog: median(costs.withLog),
  }
}

const rounded = (value: number, digits = 2) => Number(value.toFixed(digits))

const results = []
for (const kind of chosen) {
  const { bodies, reference, alone, grpc, writer, withLog } = await measure(kind, log)
  const sentBytes = bodies.bodies.reduce((sum, body) => sum + body.length, 0) / bodies.bodies.length
  results.push({
    kind,
    bytesPerSpan: {
      sent: Math.round(sentBytes / spansPerRequest),
      decoded: Math.round(bodies.decodedBytes / spansPerRequest),
      record: Math.round(recordBytesPerSpan),
    },
    cpuMsPer1000Spans: {
      reference: rounded(reference.cpuMsPer1000Spans),
      gateway: rounded(alone.cpuMsPer1000Spans),
      ...(isProtobuf(kind) && { gatewayOverGrpc: rounded(grpc.cpuMsPer1000Spans) }),
      gatewayAndLog: rounded(withLog.cpuMsPer1000Spans),
      writer: rounded(writer.cpuMsPer1000Spans),
      ...(kafka && { broker: rounded(withLog.brokerMsPer1000Spans) }),
    },
    ...(isProtobuf(kind) && { grpcToHttp: rounded(grpc.cpuMsPer1000Spans / alone.cpuMsPer1000Spans) }),
    gatewayToReference: rounded(alone.cpuMsPer1000Spans / reference.cpuMsPer1000Spans),
    gatewayAndLogToReference: rounded(withLog.cpuMsPer1000Spans / reference.cpuMsPer1000Spans),
    gatewayAndWriterToReference: rounded((alone.cpuMsPer1000Spans + writer.cpuMsPer1000Spans) / reference.cpuMsPer1000Spans),
    spansPerSecond: { gateway: Math.round(alone.spansPerSecond), gatewayAndLog: Math.round(withLog.spansPerSecond) },
    decodedMBPerSecond: rounded((alone.spansPerSecond * bodies.decodedBytes) / spansPerRequest / 1e6, 0),
  })
}
await log.close()
await kafka?.stop()
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
const reference = { protobuf: 'gunzip and protobufjs static decode', json: 'gunzip and JSON.parse' }
console.log(JSON.stringify({ bench: 'gateway', machine, log: values.log, reference, results }, null, 2))

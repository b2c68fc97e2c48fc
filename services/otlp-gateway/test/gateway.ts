// Starts a gateway on a real server and a real embedded log.
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppError } from '@svc-server/errors'
import { closeServer, createConnectionLimits, createStreamServer, listen, type PortServer } from '@svc-server/http/listeners'
import type { EventLog, LogRecord } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { decodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { clientServerOptions, type TlsConfig } from '@svc-server/service/connections'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createIngestIds } from '@svc-server/stream/ingest-id'
import { metricSum, temporaryDirectory } from '@svc-server/testkit'
import { createOtlpGateway, type GatewayDeps, type OtlpGateway } from '../src/app.ts'
import { createGatewayListener } from '../src/listener.ts'
import type { GatewayConfig } from '../src/settings.ts'

const MiB = 1024 * 1024

const testConfig: GatewayConfig = {
  writeMode: 'events_only',
  otelBehaviour: 'direct',
  maxBodyBytes: 64 * MiB,
  maxRowBytes: 256 * MiB,
  maxWork: 3_000_000,
  projectWorkPerSecond: 1_000_000_000,
  projectRequestsAtOnce: 256,
  maxTraces: 20_000,
  maxInflightBytes: 256 * MiB,
  maxInflightBytesPerProject: 128 * MiB,
  bodyTimeoutMs: 10_000,
  // The timeout is long, because a busy machine can delay acknowledgements.
  logAckTimeoutMs: 60_000,
  spanMaxAgeMonths: 36,
  workers: 1,
  trustedProxies: [],
  brandAliases: [],
  rateLimits: [],
}

const basic = (publicKey: string, secretKey: string) => `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`

export const projectAuthorization = basic('pk-test', 'sk-test')
export const organizationAuthorization = basic('pk-org', 'sk-org')

export const ingestIds = createIngestIds('a-secret')

export const knownKeys: GatewayDeps['authenticate'] = async header => {
  const common = { orgId: 'org', apiKeyId: `key-${header}` }
  if (header === projectAuthorization) return { ...common, accessLevel: 'project', projectId: 'project-0', publicKey: 'pk-test' }
  if (header === organizationAuthorization) return { ...common, accessLevel: 'organization', projectId: null, publicKey: 'pk-org' }
  throw new AppError(header === undefined ? 'key_missing' : 'key_unknown', 'No such key.')
}

export interface TestAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface TestGateway extends AsyncDisposable {
  readonly gateway: OtlpGateway
  readonly server: Server
  readonly url: string
  readonly port: number
  readonly grpcPort: number
  readonly log: EventLog
  /** Log lines that report defects. */
  readonly bugs: readonly string[]
  /** Defects of the event log that the gateway has reported. All requests share this log. */
  readonly broken: readonly unknown[]
  readonly logLines: string[]
  /** Sends a POST, with credentials unless the options say otherwise. A header whose value is null is not sent. */
  send(path: string, options?: SendOptions): Promise<TestAnswer>
  batches(topic: string): Promise<{ readonly record: LogRecord; readonly batch: SpanBatch }[]>
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
}

export interface SendOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[] | null>>
  readonly body?: Uint8Array
  /** If true, the request has no Content-Length. */
  readonly chunked?: boolean
}

export interface GatewayTestOptions {
  readonly config?: Partial<GatewayConfig>
  readonly deps?: Partial<GatewayDeps>
  readonly log?: (real: EventLog) => Pick<EventLog, 'append'>
  readonly maxTopicBytes?: number
  readonly streams?: { readonly idleMs?: number; readonly firstStreamMs?: number; readonly answerMs?: number }
  /** If set, both listeners accept only TLS. */
  readonly tls?: Pick<TlsConfig, 'tlsCertFile' | 'tlsKeyFile'> & Partial<TlsConfig>
}

const tlsDefaults = { tlsMinVersion: 'TLSv1.2', tlsReloadMs: 50, tlsHandshakeTimeoutMs: 10_000, tlsHandshakesPerSecond: 100 } as const

export async function startGateway(options: GatewayTestOptions = {}): Promise<TestGateway> {
  const config = { ...testConfig, ...options.config }
  const directory = await temporaryDirectory('svc-gateway-')
  const limits = options.maxTopicBytes === undefined ? {} : { maxTopicBytes: { 'spans.direct': options.maxTopicBytes } }
  const topics = topicSpecs({ embedded: true, enabledReaders: ['svc.writer'], ...limits })
  const log = await openEmbeddedLog({ directory: directory.path, topics })
  const broken: unknown[] = []
  const logLines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      logLines.push(String(line))
      done()
    },
  })
  const metrics = createMetricRegistry({ runtime: false })
  const logger = createLogger({ service: 'gateway', level: 'info', destination })
  const gateway = createOtlpGateway(config, {
    log: options.log?.(log) ?? log,
    authenticate: knownKeys,
    ingestIds,
    logger,
    metrics,
    clock: Date.now,
    onBroken: error => broken.push(error),
    ...options.deps,
  })
  const front = options.tls && createGatewayListener({ ...config, ...tlsDefaults, ...options.tls }, { metrics, logger })
  front?.attach(gateway)
  const server = front?.newServer() ?? createServer(clientServerOptions(config))
  if (!front) server.on('request', gateway.handle).on('checkContinue', gateway.handleExpectingContinue)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  await gateway.start()
  const { port } = server.address() as AddressInfo
  const streamServer: PortServer =
    front?.newStreamServer() ??
    createStreamServer({
      handle: gateway.handleStream,
      onDefect: error => logLines.push(`because of a defect: ${String(error)}`),
      connections: createConnectionLimits({ maxConnections: 1000 }),
      ...{ idleMs: 60_000, firstStreamMs: 1_000, answerMs: 30_000, ...options.streams },
    })
  const { port: grpcPort } = await listen(streamServer, { host: '127.0.0.1', port: 0, variable: 'SVC_OTLP_GRPC_PORT' })

  return {
    gateway,
    server,
    url: `${front ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    grpcPort,
    log,
    get bugs() {
      return logLines.filter(line => line.includes('because of a defect'))
    },
    broken,
    logLines,
    send: (path, sendOptions) => sendTo(port, path, sendOptions),
    async batches(topic) {
      const found = []
      for (const { partition, highWatermark } of (await log.describe()).find(({ spec }) => spec.name === topic)?.partitions ?? []) {
        for (let offset = 0; offset < highWatermark; ) {
          const { records, nextOffset } = await log.read(topic, partition, offset, 64 * MiB)
          for (const record of records) found.push({ record, batch: decodeSpanBatch(record.value!) })
          offset = nextOffset
        }
      }
      return found
    },
    metric: async (name, labels) => metricSum(await metrics.render(), name, labels),
    async [Symbol.asyncDispose]() {
      await gateway.drain()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await closeServer(streamServer, { graceMs: 100 })
      await log.close()
      await directory.remove()
    },
  }
}

export function sendTo(port: number, path: string, { method = 'POST', headers = {}, body, chunked = false }: SendOptions = {}) {
  const all: OutgoingHttpHeaders = { authorization: projectAuthorization, 'content-type': 'application/x-protobuf' }
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete all[name]
    else all[name] = value
  }
  if (body !== undefined && !chunked) all['content-length'] = body.length
  return new Promise<TestAnswer>((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, method, headers: all }, res => {
      buffer(res).then(bytes => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: bytes }), reject)
    })
    req.on('error', reject)
    if (body !== undefined && chunked) for (let at = 0; at < body.length; at += 64 * 1024) req.write(body.subarray(at, at + 64 * 1024))
    req.end(chunked ? undefined : body)
  })
}

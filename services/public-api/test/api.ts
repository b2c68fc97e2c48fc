// Starts the public API on a real server and a real embedded log.
import { request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { BlobStore } from '@svc-server/blob-store'
import { openDirectoryBlobs } from '@svc-server/blob-store/directory'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog, LogRecord } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { createOutbound } from '@svc-server/outbound'
import type { KeyScope, KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import { type Command, decodeCommand } from '@svc-server/schema/command'
import { decodeIngestionEvent, type IngestionEvent } from '@svc-server/schema/ingestion-event'
import { decodeRunItem, type RunItem } from '@svc-server/schema/run-item'
import { decodeScoreEvent, type ScoreEvent } from '@svc-server/schema/score-event'
import { decodeSdkUsage, type SdkUsage } from '@svc-server/schema/sdk-usage'
import { decodeStagedRunItem, type StagedRunItem } from '@svc-server/schema/staged-run-item'
import { topicSpecs } from '@svc-server/schema/topics'
import { createCipher } from '@svc-server/secrets'
import type { RequestHandlers } from '@svc-server/service'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { mediaStoreOf } from '@svc-server/stores/media'
import { mediaSettings } from '@svc-server/stores/media-settings'
import { metricSum, temporaryDirectory } from '@svc-server/testkit'
import { handlers } from '../src/operations/index.ts'
import { publicApi } from '../src/service.ts'

export const basic = (publicKey: string, secretKey: string) => `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
const projectKey = basic('pk-test', 'sk-test')
export const organizationKey = basic('pk-org', 'sk-org')
export const publicKeyAlone = 'Bearer pk-test'

const scope = (accessLevel: KeyScope['accessLevel'], projectId: string | null): KeyScope => ({
  accessLevel,
  orgId: 'org',
  projectId,
  apiKeyId: `key-${accessLevel}`,
  publicKey: projectId === null ? 'pk-org' : 'pk-test',
})
/** A simple key store, which replaces the real key store. */
const keys = {
  verify: async (_: string, secret: string) =>
    secret === 'sk-test' ? scope('project', 'project-0') : secret === 'sk-org' ? scope('organization', null) : null,
  verifyPublicKey: async (publicKey: string) => (publicKey === 'pk-test' ? scope('scores', 'project-0') : null),
  onChange: () => () => {},
  pairOf: (purpose: string) => ({ publicKey: `pk-${purpose}`, secretKey: `sk-${purpose}` }),
}

export interface ApiTestOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly relational?: Pick<RelationalStore, 'db' | 'ping'>
  readonly columnStore?: Pick<ColumnStore, 'query'>
  readonly keys?: Pick<KeyStore, 'verify' | 'pairOf'>
  /** The blob store. Null: the API has no blob store. */
  readonly blobs?: BlobStore | null
  readonly log?: (real: EventLog) => Pick<EventLog, 'append'>
  /** Internal addresses to which users may let the API connect. */
  readonly outboundAllowed?: readonly string[]
  /** Handlers of a gateway that shares the API's port. */
  readonly gateway?: RequestHandlers
}

interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The parsed body of a JSON response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any
}

interface SendOptions {
  /** The credentials. Null: the request has no credentials. */
  readonly authorization?: string | null
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** The body of the request. Bytes and text are sent unchanged. Any other value is sent as JSON. */
  readonly body?: unknown
}

export interface TestApi extends AsyncDisposable {
  readonly port: number
  readonly server: Server
  readonly logLines: readonly string[]
  /** Reported defects: bugs of the API, and defects of the log. All requests share the log. */
  readonly broken: readonly unknown[]
  send(method: string, path: string, options?: SendOptions): Promise<TestAnswer>
  events(): Promise<readonly (IngestionEvent & { readonly json: Readonly<Record<string, unknown>> })[]>
  scores(): Promise<readonly ScoreEvent[]>
  runItems(): Promise<readonly RunItem[]>
  stagedRunItems(): Promise<readonly (StagedRunItem & { readonly key: string })[]>
  sdkUsage(): Promise<readonly SdkUsage[]>
  commands(): Promise<readonly (Command | null)[]>
  drain(): Promise<void>
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
}

export function configsOnly(rows: readonly { readonly id: string }[]): Pick<RelationalStore, 'db' | 'ping'> {
  const query = (ids: readonly unknown[]) => ({
    selectAll: () => query(ids),
    where: (column: string, _: string, values: readonly unknown[]) => query(column === 'id' ? values : ids),
    execute: async () => rows.filter(({ id }) => ids.includes(id)),
  })
  const db = { selectFrom: () => query([]), withPlugin: () => db } as unknown as RelationalStore['db']
  return { db, ping: async () => {} }
}

const noRelational = { ping: async () => {} } as unknown as RelationalStore

export async function startApi(options: ApiTestOptions = {}): Promise<TestApi> {
  const env = { SVC_API_WORKERS: '1', ...options.env }
  const settings = loadSettings([publicApi.variables, mediaSettings], env, { service: 'public-api', validate: publicApi.problems })
  const directory = await temporaryDirectory('svc-api-')
  const log = await openEmbeddedLog({ directory: directory.path, topics: topicSpecs({ embedded: true, enabledReaders: [] }) })
  const logLines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      logLines.push(String(line))
      done()
    },
  })
  const broken: unknown[] = []
  const metrics = createMetricRegistry({ runtime: false })
  const tools = {
    logger: createLogger({ service: 'public-api', level: 'info', destination }),
    metrics,
    health: createHealth({ version: '4.59.0' }),
    clock: Date.now,
    onBug: (error: unknown) => broken.push(error),
    onBroken: (error: unknown) => broken.push(error),
  }
  const prepared = publicApi.prepare(settings, tools)
  const front = prepared.front!
  if (options.gateway) front.handOver!(options.gateway)
  const server = front.newServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A name that ends in .internal has an internal address. Any other name has an external address.
  const resolve = async (name: string) => [{ address: name.endsWith('.internal') ? '10.0.0.1' : '203.0.114.1', family: 4 }]
  const outbound = createOutbound({ allowed: options.outboundAllowed ?? [], resolve })
  const opened = {
    relational: options.relational ?? noRelational,
    keys: options.keys ?? keys,
    columnStore: options.columnStore ?? { query: async () => [] },
    encryption: createCipher({ key: 'ab'.repeat(32) }),
    outbound,
    log: options.log?.(log) ?? log,
    media: mediaStoreOf(
      settings.of(mediaSettings),
      options.blobs === null ? undefined : (options.blobs ?? (await openDirectoryBlobs(join(directory.path, 'media')))),
    ),
  }
  const service = await prepared.create({ openAll: async () => opened as never })
  await service.start()
  const { port } = server.address() as AddressInfo

  let drained: Promise<void> | undefined
  const drain = () => (drained ??= service.drain())

  async function recordsOf(topic: string): Promise<LogRecord[]> {
    const found: LogRecord[] = []
    for (const { partition, highWatermark } of (await log.describe()).find(({ spec }) => spec.name === topic)?.partitions ?? []) {
      for (let offset = 0; offset < highWatermark; ) {
        const { records, nextOffset } = await log.read(topic, partition, offset, 64 * 1024 * 1024)
        found.push(...records)
        offset = nextOffset
      }
    }
    return found
  }
  const valuesOf = async (topic: string) => (await recordsOf(topic)).map(({ value }) => value!)

  return {
    port,
    server,
    logLines,
    broken,
    send: async (method, path, sent) => {
      const answer = await sendTo(port, method, path, sent)
      holdToItsSchema(method, path, answer)
      return answer
    },
    async events() {
      const events = (await valuesOf('ingestion')).map(decodeIngestionEvent)
      return events.map(event => ({ ...event, json: JSON.parse(Buffer.from(event.body).toString()) as Record<string, unknown> }))
    },
    scores: async () => (await valuesOf('scores')).map(decodeScoreEvent),
    runItems: async () => (await valuesOf('run.items')).map(decodeRunItem),
    stagedRunItems: async () =>
      (await recordsOf('spans.staging')).map(({ key, value }) => ({ ...decodeStagedRunItem(value!), key: Buffer.from(key!).toString() })),
    sdkUsage: async () => (await valuesOf('sdk.usage')).map(decodeSdkUsage),
    commands: async () => (await valuesOf('commands')).map(decodeCommand),
    drain,
    metric: async (name, labels) => metricSum(await metrics.render(), name, labels),
    async [Symbol.asyncDispose]() {
      await drain()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await log.close()
      await directory.remove()
    },
  }
}

const patterns = handlers.map(({ operation }) => ({
  operation,
  pattern: new RegExp(`^/+${operation.path.slice(1).replaceAll(/\{\w+\}/g, '[^/]+')}/*$`),
}))

/** Checks that the response matches its documented schema. */
function holdToItsSchema(method: string, path: string, { status, json, text }: TestAnswer): void {
  const [asked = ''] = path.split('?')
  const target = asked.replace(/^\/api\/ui\/(?:projects|organizations)\/[^/]+\//, '/api/public/')
  const found = patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(target))
  const schema = found?.operation.responses[status]
  if (schema === undefined || schema === null || status === 204) return
  const { error } = schema.safeParse(json)
  if (error !== undefined) throw new Error(`${method} ${path} ${status} is not what its schema says: ${error.message}\n${text}`)
}

function sendTo(port: number, method: string, path: string, { authorization = projectKey, headers = {}, body }: SendOptions = {}) {
  const bytes = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const all = {
    ...(authorization !== null && { authorization }),
    ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) }),
    ...headers,
  }
  return new Promise<TestAnswer>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers: all }, async response => {
      const answered = await text(response)
      const isJson = /[/+]json/.test(response.headers['content-type'] ?? '') && answered !== ''
      resolve({ status: response.statusCode!, headers: response.headers, text: answered, json: isJson ? JSON.parse(answered) : undefined })
    })
    request.on('error', reject)
    request.end(bytes)
  })
}

// A real OpenTelemetry Collector exports over gRPC and HTTP. If the log fails, the Collector retries by itself. In the end, the table must
// contain every span once.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestCluster, type TestCluster } from '../../apps/cluster/test/cluster.ts'
import { createLoad, post } from '../../apps/cluster/test/load.ts'
import { spawnGuarded } from '../../libs/dev-servers/src/guarded-process.ts'
import { freePort, temporaryDirectory, waitFor } from '../../libs/dev-servers/src/index.ts'
import { ensureProgram } from '../programs/programs.ts'

const protocols = ['grpc', 'http'] as const
type Protocol = (typeof protocols)[number]
const spansEach = 20_000

let cluster: TestCluster
let grpcPort: number
const closers: (() => Promise<unknown>)[] = []
const collector = {} as Record<Protocol, string>
beforeAll(async () => {
  await ensureProgram('otelcol')
  grpcPort = await freePort()
  const one = { SVC_CLUSTER_GATEWAYS: '1', SVC_CLUSTER_WRITERS: '1', SVC_CLUSTER_PROPAGATORS: '1' }
  cluster = await openTestCluster({ ...one, SVC_OTLP_GRPC_PORT: String(grpcPort), SVC_LOG_ACK_TIMEOUT_MS: '2s' }, { ownBroker: true })
  closers.push(() => cluster.close())
  for (const protocol of protocols) collector[protocol] = `http://127.0.0.1:${await freePort()}`
  await startCollector()
}, 1_800_000)
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

/** Returns the Collector's configuration, as an operator would write it. */
function configuration(): string {
  const { gateways, publicKey, secretKey } = cluster.running
  const http = gateways[0]!.url
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const exporter = {
    headers: { authorization, 'x-svc-ingestion-version': '4' },
    retry_on_failure: { enabled: true, initial_interval: '200ms', max_interval: '2s', max_elapsed_time: '0s' },
    sending_queue: { enabled: true, queue_size: 100_000 },
  }
  const pipeline = (from: string, to: string) => ({ receivers: [from], processors: ['batch'], exporters: [to] })
  // JSON is valid YAML.
  return JSON.stringify({
    receivers: Object.fromEntries(
      protocols.map(name => [`otlp/${name}`, { protocols: { http: { endpoint: collector[name].slice('http://'.length) } } }]),
    ),
    processors: { batch: { send_batch_size: 500, timeout: '200ms' } },
    exporters: {
      otlp: { ...exporter, endpoint: `127.0.0.1:${grpcPort}`, tls: { insecure: true } },
      otlphttp: { ...exporter, endpoint: http },
    },
    service: {
      telemetry: { metrics: { level: 'none' }, logs: { level: 'info', sampling: { enabled: false } } },
      pipelines: { 'traces/grpc': pipeline('otlp/grpc', 'otlp'), 'traces/http': pipeline('otlp/http', 'otlphttp') },
    },
  })
}

async function startCollector(): Promise<void> {
  const directory = await temporaryDirectory('svc-collector-')
  closers.push(() => directory.remove())
  const [config, logFile] = [join(directory.path, 'config.json'), join(directory.path, 'log')]
  writeFileSync(config, configuration())
  writeFileSync(logFile, '')
  const command = [await ensureProgram('otelcol'), '--config', `file:${config}`]
  const child = await spawnGuarded({ what: 'the Collector', command, logFile, readyLine: 'Everything is ready', orphanSignal: 'KILL' })
  await child.ready()
  closers.push(async () => {
    child.signal('SIGTERM')
    await child.ended()
  })
}

const answered = (code: string, protocol: Protocol): Promise<number> =>
  cluster.metric(`svc_gateway_requests_total{code="${code}",protocol="${protocol}"`, [cluster.running.gateways[0]!.probeUrl])

/** Sends spans to the Collector and returns their ids. Sends a request again until the Collector accepts it with 200. */
async function sendTo(protocol: Protocol): Promise<ReadonlySet<string>> {
  const load = createLoad(protocol, spansEach)
  const identities = new Set<string>()
  for (let index = 0; identities.size < spansEach; index++) {
    const request = load.request(index)
    for (let status = 0; status !== 200; ) {
      const answer = await post(cluster.running, collector[protocol], request.body)
      status = answer.status
      if (status >= 400 && status !== 429 && status !== 503) throw new Error(`the Collector answers ${status}: ${answer.body.toString()}`)
    }
    for (const identity of request.identities) identities.add(identity)
  }
  return identities
}

test('otlp and otlphttp deliver despite an outage of the log: they retry UNAVAILABLE and 503, and every span is stored once', async () => {
  const { kafka } = cluster.running.stores
  const sending = Promise.all(protocols.map(sendTo))
  sending.catch(() => {})
  for (const protocol of protocols)
    await waitFor(async () => (await answered('200', protocol)) >= 3, { what: `spans over ${protocol}`, everyMs: 50, timeoutMs: 120_000 })
  await kafka!.kill(0)
  for (const protocol of protocols)
    await waitFor(async () => (await answered('503', protocol)) >= 2, { what: `503 over ${protocol}`, everyMs: 100, timeoutMs: 120_000 })
  const refused = await Promise.all(protocols.map(protocol => answered('503', protocol)))
  await kafka!.restart(0)

  const sent = await sending
  const expected = new Set(sent.flatMap(identities => [...identities]))
  expect(expected.size).toBe(protocols.length * spansEach)
  const stored = async () => (await cluster.rows()).spans === expected.size
  await waitFor(stored, { what: 'all spans to be stored', timeoutMs: 300_000, everyMs: 500 })
  const found = await cluster.query<{ identity: string; n: string }>(
    "SELECT concat(trace_id, '/', span_id) AS identity, count() AS n FROM events_full FINAL GROUP BY identity",
  )
  expect(found.filter(({ identity, n }) => !expected.has(identity) || Number(n) !== 1)).toEqual([])
  expect(found).toHaveLength(expected.size)
  const { rows } = await cluster.rows()
  console.info(
    `Collector: ${expected.size} spans, ${protocols.map((protocol, i) => `${refused[i]} requests refused over ${protocol}`).join(', ')}; ` +
      `${found.length} rows, ${rows} before merges`,
  )
}, 900_000)

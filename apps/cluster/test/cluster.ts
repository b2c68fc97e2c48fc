// Starts a cluster for tests. Each service runs in a separate process, on a free port and in a temporary directory.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { sharedKafka } from '@svc-server/dev-servers/shared-kafka'
import { type Environment, loadSettings } from '@svc-server/service/configuration'
import { createLogger } from '@svc-server/service/logs'
import { createSpanGenerator, type GeneratedRequest, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { type ClusterOptions, type RunningCluster, startCluster } from '../src/cluster.ts'
import { kinds } from '../src/services.ts'
import { allSettings, clusterProblems, clusterProcess, passedOnVariables } from '../src/settings.ts'

export const freePorts: Environment = Object.fromEntries(
  [
    ...kinds.flatMap(({ ports }) => ports.map(({ first }) => first.env)),
    'SVC_CLUSTER_KAFKA_PORT',
    'SVC_CLUSTER_POSTGRES_PORT',
    'COLUMNSTORE_PORT',
  ].map(variable => [variable, '0']),
)

/** Gives processes more time to drain. If all suites of a run share two processors, the drain takes several times as long as usual. */
export const patientDrain: Environment = { SVC_DRAIN_GRACE_MS: '4m' }

export interface TestCluster {
  readonly running: RunningCluster
  readonly lines: readonly string[]
  query<Row>(sql: string): Promise<Row[]>
  /** Counts rows without FINAL, so a span with two rows is counted twice. */
  rows(): Promise<{ readonly rows: number; readonly spans: number }>
  metric(name: string, probeUrls: readonly string[]): Promise<number>
  close(): Promise<void>
}

export async function sharedBroker(): Promise<Environment> {
  const { brokers } = await sharedKafka()
  return { SVC_KAFKA_BROKERS: brokers.join(','), SVC_TOPIC_PREFIX: `t${randomUUID()}.` }
}

interface TestClusterOptions extends Pick<ClusterOptions, 'programs'> {
  /**
   * True if the cluster starts its own broker. A test may kill a broker only if the cluster has started this broker
   * (`running.stores.kafka`).
   */
  readonly ownBroker?: boolean
}

export async function openTestCluster(
  extra: Environment = {},
  { ownBroker = false, programs }: TestClusterOptions = {},
): Promise<TestCluster> {
  const directory = await temporaryDirectory('svc-cluster-')
  const broker = ownBroker || extra['SVC_KAFKA_BROKERS'] !== undefined ? {} : await sharedBroker()
  const servicesEnv = { PATH: process.env['PATH'], ...freePorts, ...patientDrain, ...broker, ...extra }
  const settings = loadSettings([...allSettings, clusterProcess], servicesEnv, {
    service: 'cluster',
    alsoKnown: passedOnVariables,
    validate: clusterProblems,
  })
  const lines: string[] = []
  const running = await startCluster({
    settings,
    directory: directory.path,
    servicesEnv,
    logger: createLogger({ service: 'test', level: 'silent' }),
    say: () => {},
    onLine: (service, line) => lines.push(`${service} | ${line}`),
    keepAlive: false,
    programs,
  })

  const { url, user, password, database } = running.stores.columnStore
  async function query<Row>(sql: string): Promise<Row[]> {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const response = await fetch(`${url}/?database=${database}`, { method: 'POST', headers: { authorization }, body: `${sql} FORMAT JSON` })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status}: ${text}`)
    return (JSON.parse(text) as { data: Row[] }).data
  }
  return {
    running,
    lines,
    query,
    async rows() {
      const [row] = await query<{ rows: string; spans: string }>(
        'SELECT count() AS rows, uniqExact(project_id, trace_id, span_id) AS spans FROM events_full',
      )
      return { rows: Number(row!.rows), spans: Number(row!.spans) }
    },
    async metric(name, probeUrls) {
      const texts = await Promise.all(probeUrls.map(async probeUrl => (await fetch(`${probeUrl}/metrics`)).text()))
      const values = texts.flatMap(text => text.split('\n').filter(line => line.startsWith(name)))
      return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
    },
    async close() {
      await running.stop()
      await directory.remove()
    },
  }
}

export const requestsOf = (seed: string, count: number): readonly GeneratedRequest[] => {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 5000, spansPerRequest: 50 })
  return Array.from({ length: count }, () => generator.next())
}

export const spansOf = (requests: readonly GeneratedRequest[]): number => requests.reduce((sum, { spans }) => sum + spans.length, 0)

export interface Sender {
  readonly gateways: readonly { readonly url: string }[]
  readonly publicKey: string
  readonly secretKey: string
}

/** Sends each request to one gateway after the other until a gateway responds with 200, as an exporter behind a load balancer does. */
export async function sendAll(
  { gateways, publicKey, secretKey }: Sender,
  requests: readonly GeneratedRequest[],
  { concurrency = 8, ingestionVersion = '4' }: { readonly concurrency?: number; readonly ingestionVersion?: '3' | '4' } = {},
): Promise<void> {
  const headers = {
    authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
    'content-type': 'application/x-protobuf',
    'x-svc-ingestion-version': ingestionVersion,
  }
  let next = 0
  const lane = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      let attempt = index
      await waitFor(
        async () => {
          const { url } = gateways[attempt++ % gateways.length]!
          const response = await fetch(`${url}/v1/traces`, {
            method: 'POST',
            headers,
            body: requests[index]!.protobuf as Uint8Array<ArrayBuffer>,
          })
          const body = await response.arrayBuffer()
          if (response.status < 429 && (!response.ok || body.byteLength > 0)) throw new Error(`refused for good: ${response.status}`)
          return response.ok
        },
        { timeoutMs: 60_000, what: `request ${index} to be acknowledged`, everyMs: 50 },
      )
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
}

export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export function runScript(script: string, env: Environment, ...argv: string[]): Promise<Finished> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(script), ...argv], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
  })
  let out = ''
  let error = ''
  child.stdout.on('data', chunk => (out += chunk))
  child.stderr.on('data', chunk => (error += chunk))
  return new Promise(done => child.once('exit', code => done({ code, out, error })))
}

// Starts one or three real Kafka brokers on the loopback address.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { createTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
import { temporaryDirectory } from '../temporary-directory.ts'
import { type BrokerProcess, spawnBroker } from './broker-process.ts'
import { containerCluster } from './container.ts'
import { openDistribution } from './distribution.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import { type SecuredClients, securedListener } from './secured-listener.ts'
import { type BrokerPlan, serverProperties } from './server-properties.ts'
import { chooseBrokers } from './source.ts'

export type { KafkaCluster } from './kafka-cluster.ts'

export interface KafkaClusterOptions {
  readonly brokers?: 1 | 3
  /** If true, a fault proxy runs in front of each broker. The broker tells clients the proxy's port. */
  readonly proxied?: boolean
  /** If true, starts separate brokers that the test can kill. SVC_KAFKA_BROKERS then has no effect. */
  readonly own?: boolean
  /** Directory of the topics, which remains when the cluster stops. Default: a temporary directory, which is then removed. */
  readonly directory?: string
  /** Ports for clients, other brokers, and the controller. Default: free ports. */
  readonly ports?: readonly [client: number, internal: number, controller: number]
  /** If set, clients must use TLS, and authenticate with the user and password in `secured`. */
  readonly secured?: SecuredClients
  readonly properties?: Readonly<Record<string, string>>
}

/** Uses existing brokers, local processes, or a container. If the machine has none of them, the error names what to install. */
export async function startKafkaCluster(options: KafkaClusterOptions = {}): Promise<KafkaCluster> {
  const { own = false, proxied = false } = options
  const source = await chooseBrokers({ own: own || proxied || options.secured !== undefined, ofProcesses: onlyInProcesses(options) })
  if (source.kind === 'given') return givenCluster(source.brokers)
  return source.kind === 'container' ? containerCluster(options.properties ?? {}) : ownCluster(options)
}

const onlyInProcesses = ({ brokers, proxied, directory, ports, secured }: KafkaClusterOptions): readonly string[] => [
  ...(brokers === 3 ? ['three brokers'] : []),
  ...(proxied ? ['a fault proxy before the broker'] : []),
  ...(directory !== undefined || ports ? ['a broker with its own directory and ports'] : []),
  ...(secured ? ['TLS and users'] : []),
]

async function ownCluster(options: KafkaClusterOptions): Promise<KafkaCluster> {
  const { brokers: count = 1, proxied = false, secured, ports } = options
  const distribution = await openDistribution()
  const temporary = options.directory === undefined ? await temporaryDirectory('svc-kafka-') : undefined
  const home = options.directory ?? temporary!.path
  const listener = secured ? await securedListener(home, secured) : undefined
  const properties = { ...listener?.properties, ...options.properties }
  const proxies: TcpProxy[] = []
  const plans: BrokerPlan[] = []
  for (let id = 1; id <= count; id++) {
    const [clientPort, internalPort, controllerPort] = ports ?? [await freePort(), await freePort(), await freePort()]
    if (proxied) proxies.push(await createTcpProxy({ target: clientPort }))
    const directory = join(home, `${id}`)
    mkdirSync(directory, { recursive: true })
    const advertisedPort = proxies[id - 1]?.port ?? clientPort
    plans.push({ id, directory, clientPort, advertisedPort, internalPort, controllerPort })
  }
  const commandOf = (plan: BrokerPlan) => distribution.broker(plan.directory, count > 1 ? 384 : 512)
  const processes: BrokerProcess[] = []

  const stop = async (): Promise<void> => {
    for (const broker of processes) broker.signal(temporary ? 'SIGKILL' : 'SIGTERM')
    await Promise.all(processes.map(broker => broker.ended()))
    await Promise.all(proxies.map(proxy => proxy.close()))
    await temporary?.remove()
  }
  const started = async (): Promise<void> => {
    // The id has 22 characters. The id must not begin with a dash, because the tool would read a dash as an option.
    const clusterId = `s${randomBytes(16).toString('base64url').slice(1)}`
    for (const plan of plans) writeFileSync(join(plan.directory, 'server.properties'), serverProperties(plan, plans, properties))
    const isNew = ({ directory }: BrokerPlan) => !existsSync(join(directory, 'data', 'meta.properties'))
    await Promise.all(plans.filter(isNew).map(plan => distribution.format(plan.directory, clusterId, listener?.formatArguments)))
    for (const plan of plans) processes.push(await spawnBroker(plan.directory, commandOf(plan)))
    await Promise.all(processes.map(broker => broker.ready()))
  }
  await started().catch(async (error: unknown) => {
    await stop()
    throw error
  })

  return {
    brokers: plans.map(({ advertisedPort }) => `127.0.0.1:${advertisedPort}`),
    ...(listener && { certificateFile: listener.certificateFile }),
    proxy(broker) {
      const proxy = proxies[broker]
      if (!proxy) throw new Error('This cluster was started without proxies.')
      return proxy
    },
    async kill(broker) {
      processes[broker]!.signal('SIGKILL')
      await processes[broker]!.ended()
    },
    async restart(broker) {
      const plan = plans[broker]!
      const process = await spawnBroker(plan.directory, commandOf(plan))
      processes[broker] = process
      await process.ready()
    },
    pause: broker => processes[broker]!.signal('SIGSTOP'),
    resume: broker => processes[broker]!.signal('SIGCONT'),
    pids: () => processes.filter(({ running }) => running).map(({ pid }) => pid),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function givenCluster(brokers: readonly string[]): KafkaCluster {
  const refuse = (): never => {
    throw new Error('SVC_KAFKA_BROKERS names existing brokers, but this test must start its own brokers ({ own: true }).')
  }
  const stop = async (): Promise<void> => {}
  return {
    brokers,
    proxy: refuse,
    kill: async () => refuse(),
    restart: async () => refuse(),
    pause: refuse,
    resume: refuse,
    pids: () => [],
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

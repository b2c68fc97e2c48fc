// A test broker listens only on the loopback address. The broker detects dead clients quickly, cleans logs quickly, and creates no topics
// automatically.

export interface BrokerPlan {
  readonly id: number
  readonly directory: string
  /** Port of the broker, or of the proxy in front of the broker. */
  readonly advertisedPort: number
  readonly clientPort: number
  readonly internalPort: number
  readonly controllerPort: number
}

type Properties = Readonly<Record<string, string | number | boolean>>

export function behaviour(brokers: number): Properties {
  const replicas = Math.min(3, brokers)
  return {
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': Math.min(2, replicas),
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    'broker.heartbeat.interval.ms': 250,
    'broker.session.timeout.ms': brokers > 1 ? 2000 : 1000,
    'replica.lag.time.max.ms': 3000,
    'controller.quorum.election.timeout.ms': 500,
    'controller.quorum.fetch.timeout.ms': 1000,
    'controlled.shutdown.enable': brokers > 1,
    'log.cleaner.dedupe.buffer.size': 4_194_304,
    'log.cleaner.backoff.ms': 200,
    // By default, the broker would wait half a minute before the first run of the log's periodic tasks.
    'log.initial.task.delay.ms': 500,
    'log.retention.check.interval.ms': 1000,
    'log.segment.delete.delay.ms': 1000,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'num.recovery.threads.per.data.dir': 1,
  }
}

export function serverProperties(broker: BrokerPlan, brokers: readonly BrokerPlan[], extra: Readonly<Record<string, string>>): string {
  const properties: Properties = {
    'process.roles': 'broker,controller',
    'node.id': broker.id,
    'controller.quorum.voters': brokers.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    // Brokers connect to each other without proxies, because a simulated network fault must affect only the clients.
    listeners: `CLIENT://127.0.0.1:${broker.clientPort},INTERNAL://127.0.0.1:${broker.internalPort},CONTROLLER://127.0.0.1:${broker.controllerPort}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${broker.advertisedPort},INTERNAL://127.0.0.1:${broker.internalPort}`,
    'listener.security.protocol.map': 'CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': `${broker.directory}/data`,
    ...behaviour(brokers.length),
    ...extra,
  }
  return `${Object.entries(properties)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')}\n`
}

// Starts the three stores of a cluster as processes, or connects to existing stores.
import { createHmac } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@svc-server/dev-servers'
import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { type PostgresServer, startPostgres } from '@svc-server/dev-servers/postgres'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import type { ListenOptions } from '@svc-server/http/listeners'
import type { Logger } from '@svc-server/service/logs'
import type { Secrets } from '@svc-server/stores/data-directory'
import type { ClusterConfig } from './settings.ts'

export interface ClusterStores {
  readonly env: Readonly<Record<string, string>>
  readonly columnStore: { readonly url: string; readonly user: string; readonly password: string; readonly database: string }
  /** Undefined if the cluster uses existing brokers. */
  readonly kafka: KafkaCluster | undefined
  readonly postgres: PostgresServer | undefined
  readonly engine: Engine | undefined
}

export interface StartStoresOptions {
  readonly config: ClusterConfig
  readonly directory: string
  readonly secrets: Secrets
  readonly logger: Logger
  readonly step: <T>(what: string, work: () => Promise<T>, where: (result: T) => string) => Promise<T>
  readonly say: (line: string) => void
  readonly onClose: (close: () => Promise<unknown>) => void
}

const loopback = '127.0.0.1'

const brokerPorts = (first: number): readonly [number, number, number] => [first, first + 1, first + 2]

const chosen = async (port: number): Promise<number> => (port === 0 ? freePort() : port)

/** Ports of the stores that the cluster starts. */
export function portsOfStores(config: ClusterConfig): {
  readonly servers: readonly ListenOptions[]
  readonly engine: readonly ListenOptions[]
} {
  const here = (variable: string, ...ports: readonly number[]) => ports.map(port => ({ host: loopback, port, variable }))
  const { kafkaPort, postgresPort } = config
  return {
    servers: [
      ...(config.databaseUrl === undefined ? here('SVC_CLUSTER_POSTGRES_PORT', postgresPort) : []),
      ...(config.kafkaBrokers === undefined && kafkaPort !== 0 ? here('SVC_CLUSTER_KAFKA_PORT', ...brokerPorts(kafkaPort)) : []),
    ],
    engine: config.columnStoreUrl === undefined ? here('COLUMNSTORE_PORT', config.enginePort) : [],
  }
}

export async function startStores(options: StartStoresOptions): Promise<ClusterStores> {
  const { config, directory, secrets, logger, step, say, onClose } = options
  // PostgreSQL refuses to run as root, so it runs as a different user. This user must be able to traverse the cluster's directory.
  if (process.getuid?.() === 0 && config.databaseUrl === undefined) chmodSync(directory, 0o711)

  const startBroker = async () => {
    const started = await startKafkaCluster({
      own: true,
      directory: join(directory, 'kafka'),
      ports: config.kafkaPort === 0 ? [await freePort(), await freePort(), await freePort()] : brokerPorts(config.kafkaPort),
    })
    onClose(() => started.stop())
    return started
  }
  const startDatabase = async () => {
    const started = await startPostgres({
      directory: join(directory, 'postgres'),
      port: await chosen(config.postgresPort),
      // The password is derived from the salt, so that no additional secret must be stored.
      password: createHmac('sha256', secrets.salt).update('postgres').digest('hex').slice(0, 32),
      onFetch: say,
    })
    onClose(() => started.stop())
    return started
  }
  const columnStorePassword = config.columnStorePassword ?? secrets.columnStorePassword
  const startColumnStore = async () => {
    const started = await startEngine({
      dataDir: join(directory, 'column-store'),
      host: loopback,
      port: config.enginePort,
      user: config.columnStoreUser,
      password: columnStorePassword,
      database: config.columnStoreDatabase,
      memoryLimitBytes: config.engineMemoryLimit,
      silenceMs: config.engineSilenceMs,
      logger,
    })
    onClose(() => started.stop())
    return started
  }

  // The broker starts first, so that the cluster fails immediately on a machine without Java.
  const kafka = config.kafkaBrokers === undefined ? await step('Kafka broker', startBroker, ({ brokers }) => brokers.join(',')) : undefined
  const postgres =
    config.databaseUrl === undefined ? await step('PostgreSQL', startDatabase, ({ port }) => `${loopback}:${port}`) : undefined
  const engine = config.columnStoreUrl === undefined ? await step('column store', startColumnStore, ({ url }) => url) : undefined

  const columnStore = {
    url: config.columnStoreUrl ?? engine!.url,
    user: config.columnStoreUser,
    password: columnStorePassword,
    database: config.columnStoreDatabase,
  }
  return {
    env: {
      SVC_LOG: 'kafka',
      SVC_KAFKA_BROKERS: (config.kafkaBrokers ?? kafka!.brokers).join(','),
      DATABASE_URL: config.databaseUrl ?? postgres!.url,
      COLUMNSTORE_URL: columnStore.url,
      COLUMNSTORE_USER: columnStore.user,
      COLUMNSTORE_PASSWORD: columnStore.password,
      COLUMNSTORE_DB: columnStore.database,
    },
    columnStore,
    kafka,
    postgres,
    engine,
  }
}

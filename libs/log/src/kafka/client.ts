// Creates kafkajs clients. Every consumer and producer has its own client, because kafkajs shares state inside a client.
import kafkajs, { type Cluster, type ICustomPartitioner, type Kafka, type RetryOptions } from 'kafkajs'
import type { KafkaLogOptions } from './options.ts'
import { createSockets, type Sockets } from './sockets.ts'
import { registerZstd } from './zstd.ts'

export interface ClientTuning {
  readonly requestTimeoutMs: number
  readonly connectionTimeoutMs: number
  readonly retry: RetryOptions
}

export type Connection = Pick<KafkaLogOptions, 'brokers' | 'sasl' | 'tls'> & { readonly clientId: string }

export interface Client {
  readonly kafka: Kafka
  readonly sockets: Sockets
}

/** Timeouts for all requests except appends. The callers of these requests have no time budget, so the client retries for a long time. */
export const patient: ClientTuning = {
  requestTimeoutMs: 10_000,
  connectionTimeoutMs: 3000,
  retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 6 },
}

/** Creates a partitioner that uses the partition that the appender has chosen. */
export const partitionGiven: ICustomPartitioner =
  () =>
  ({ message }) =>
    message.partition!

export function createClient(connection: Connection, tuning: ClientTuning): Client {
  registerZstd()
  const sockets = createSockets()
  const { sasl, tls } = connection
  const kafka = new kafkajs.Kafka({
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    requestTimeout: tuning.requestTimeoutMs,
    connectionTimeout: tuning.connectionTimeoutMs,
    enforceRequestTimeout: true,
    retry: tuning.retry,
    socketFactory: sockets.factory,
    // kafkajs logs every attempt as an error. The adapter logs only what concerns an operator, and only once.
    logLevel: kafkajs.logLevel.NOTHING,
    ...(tls ? { ssl: { ...tls } } : {}),
    ...(sasl ? { sasl: { ...sasl } as never } : {}),
  })
  return { kafka, sockets }
}

/** A connection with three uses: fetching records, reading offsets, and sending requests that kafkajs does not offer. */
export interface OpenCluster {
  readonly cluster: Cluster
  close(): Promise<void>
}

export async function openCluster({ kafka }: Client): Promise<OpenCluster> {
  let captured: Cluster | undefined
  // This consumer never subscribes, so brokers create no group for it.
  const consumer = kafka.consumer({
    groupId: 'unused',
    allowAutoTopicCreation: false,
    partitionAssigners: [
      ({ cluster }) => {
        captured = cluster
        return { name: 'none', version: 0, assign: async () => [], protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }) }
      },
    ],
  })
  await consumer.connect()
  if (!captured) throw new Error('kafkajs no longer hands the cluster to its assigners.')
  return { cluster: captured, close: () => consumer.disconnect() }
}

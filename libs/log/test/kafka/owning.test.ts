import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { afterAll, beforeAll } from 'vitest'
import { owning } from '../conformance/index.ts'
import { kafkaAdapter } from './adapter.ts'

let cluster: KafkaCluster
beforeAll(async () => {
  cluster = await startKafkaCluster({ proxied: true })
}, 600_000)
afterAll(() => cluster?.stop())

owning(
  kafkaAdapter(
    () => cluster.brokers,
    () => cluster.proxy(0),
  ),
)

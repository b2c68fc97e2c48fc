// Holds the Kafka log to the contract that both adapters share, on a real broker.
import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { afterAll, beforeAll } from 'vitest'
import { conformance } from '../conformance/index.ts'
import { kafkaAdapter } from './adapter.ts'

let cluster: KafkaCluster
beforeAll(async () => {
  cluster = await startKafkaCluster({ properties: { 'log.retention.check.interval.ms': '300000' } })
}, 600_000)
afterAll(() => cluster?.stop())

conformance(kafkaAdapter(() => cluster.brokers))

import { type SharedKafka, sharedKafka } from '@svc-server/dev-servers/shared-kafka'
import { afterAll, beforeAll } from 'vitest'
import { conformance } from '../conformance/index.ts'
import { kafkaAdapter } from './adapter.ts'

let cluster: SharedKafka
beforeAll(async () => {
  cluster = await sharedKafka()
}, 600_000)
afterAll(() => cluster?.stop())

conformance(kafkaAdapter(() => cluster.brokers))

// All suites of a test run share one broker. Each suite has its own prefix for topics, groups and transactional ids. A suite must start its
// own broker if it kills or freezes the broker, or if it waits for retention.
import { addressOfShared } from '../shared-server.ts'
import { startKafkaCluster } from './cluster.ts'
import { sharedBrokerSocket } from './config.ts'
import type { KafkaCluster } from './kafka-cluster.ts'

// The broker checks retention only every five minutes, because the conformance suite itself decides when records expire.
export const startShared = () => startKafkaCluster({ properties: { 'log.retention.check.interval.ms': '300000' } })

/** The broker that all suites share. A suite must not kill or pause this broker. */
export type SharedKafka = Pick<KafkaCluster, 'brokers' | 'stop'>

/**
 * Resolves with the shared broker of the test run, or with a new broker outside of a test run. If no broker can start, the error names what
 * the machine lacks.
 */
export async function sharedKafka(): Promise<SharedKafka> {
  const socket = sharedBrokerSocket()
  if (socket === undefined) return startShared()
  return { brokers: await addressOfShared<readonly string[]>(socket), stop: async () => {} }
}

// Opens a Kafka log in a child process of the tests. A killed member is missed quickly, so that the next one
// need not wait.
import { openKafkaLog } from '../../src/kafka/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (argument: string, topics: readonly TopicSpec[]) =>
  openKafkaLog({ ...(JSON.parse(argument) as { brokers: string[]; prefix: string }), topics, sessionTimeoutMs: 2000 })

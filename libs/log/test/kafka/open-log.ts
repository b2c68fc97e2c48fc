// Opens the log in child processes. The short session timeout frees a killed member's partitions quickly.
import { openKafkaLog } from '../../src/kafka/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (argument: string, topics: readonly TopicSpec[]) =>
  openKafkaLog({ ...(JSON.parse(argument) as { brokers: string[]; prefix: string }), topics, sessionTimeoutMs: 2000 })

// Opens the log in child processes. The session timeout is short, so that a killed member quickly loses its partitions.
import { openKafkaLog } from '../../src/kafka/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (argument: string, topics: readonly TopicSpec[]) =>
  openKafkaLog({ ...(JSON.parse(argument) as { brokers: string[]; prefix: string }), topics, sessionTimeoutMs: 2000 })

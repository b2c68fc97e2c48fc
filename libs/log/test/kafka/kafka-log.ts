import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { type KafkaLog, openKafkaLog } from '../../src/kafka/log.ts'
import type { KafkaLogOptions } from '../../src/kafka/options.ts'
import type { TopicSpec } from '../../src/port.ts'

export const newPrefix = (): string => `t${randomUUID()}.`

export async function openTestLog(
  brokers: readonly string[],
  topics: readonly TopicSpec[],
  options: Partial<KafkaLogOptions> = {},
): Promise<KafkaLog> {
  const log = await openKafkaLog({ brokers, topics, prefix: newPrefix(), sessionTimeoutMs: 6000, ...options })
  onTestFinished(() => log.close())
  return log
}

// All logs of a test file share a broker. Each log has its own topics.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '@svc-server/dev-servers'
import { openKafkaLog } from '../../src/kafka/log.ts'
import type { TopicSpec } from '../../src/port.ts'
import type { LogAdapter } from '../conformance/index.ts'
import { administer, appendedTo, cut } from './administrator.ts'

const deleteEverything = (brokers: readonly string[], topics: readonly string[]): Promise<void> =>
  administer(brokers, async admin => {
    for (const topic of topics) await cut(admin, topic, await appendedTo(admin, topic))
  })

// Kafka compacts only closed segments. These settings close the segment after almost every append.
const topicConfig = ({ cleanup }: TopicSpec): Record<string, string> =>
  cleanup === 'delete' ? {} : { 'segment.ms': '1', 'segment.index.bytes': '4096', 'min.cleanable.dirty.ratio': '0.01' }

const sessionMs = 6000

/** `loseAnswers` does nothing if no proxy runs in front of the brokers. */
export const kafkaAdapter = (brokers: () => readonly string[], proxy?: () => TcpProxy): LogAdapter => ({
  name: 'kafka',
  sessionMs,
  loseAnswers: proxy
    ? async () => {
        proxy().dropDown()
        await sleep(300)
        proxy().resetAll()
        await proxy().pass()
      }
    : null,
  async createStore() {
    const prefix = `t${randomUUID()}.`
    return {
      open: topics => openKafkaLog({ brokers: brokers(), topics, prefix, topicConfig, sessionTimeoutMs: sessionMs }),
      async age(log, ms) {
        const old = (await log.describe()).filter(({ spec }) => spec.cleanup !== 'compact' && spec.retentionMs < ms)
        await deleteEverything(
          brokers(),
          old.map(({ spec }) => prefix + spec.name),
        )
      },
      child: {
        module: new URL('./open-log.ts', import.meta.url).href,
        argument: JSON.stringify({ brokers: brokers(), prefix }),
      },
      destroy: async () => {},
    }
  },
})

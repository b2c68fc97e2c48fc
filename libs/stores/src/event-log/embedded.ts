import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicSpecs } from '@svc-server/schema/topics'
import { setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { dataDirectory } from '../data-directory/store.ts'
import { tracedLog } from '../traced/event-log.ts'
import { openKafka } from './kafka.ts'
import { enabledReaders, kafkaProblems, kafkaSettings, lapsingReaders, logAckTimeoutMs } from './settings.ts'

export const logKind = setting.choice(['embedded', 'kafka'], {
  env: 'SVC_LOG',
  default: 'embedded',
  says: 'Where the event log is: embedded in SVC_DATA_DIR, or on SVC_KAFKA_BROKERS.',
})

const maxTopicBytes = setting.bytes({
  env: 'SVC_TOPIC_MAX_BYTES',
  optional: true,
  min: 64 * 1024 * 1024,
  says: 'Maximum bytes on disk of a topic of spans on the embedded log. The server refuses new spans while a topic has this size. Default: 20 GiB.',
})

export const embeddedEventLog: Store<EventLog> = defineStore({
  name: 'The event log',
  needs: { directory: dataDirectory },
  variables: { logKind, maxTopicBytes, ...kafkaSettings, logAckTimeoutMs },
  validate: config => (config.logKind === 'kafka' ? kafkaProblems(config) : []),
  open: async (config, { directory }, { logger, process }) => {
    const { maxTopicBytes: limit } = config
    const openEmbedded = () =>
      openEmbeddedLog({
        directory: directory.paths.log,
        topics: topicSpecs({
          embedded: true,
          enabledReaders,
          lapsing: lapsingReaders(config.writeMode),
          ...(limit !== undefined && {
            maxTopicBytes: { 'spans.direct': limit, 'spans.staging': limit, 'spans.filled': limit, 'spans.overflow': limit },
          }),
        }),
        logger,
      })
    const log =
      config.logKind === 'kafka'
        ? await openKafka(config, { ackTimeoutMs: config.logAckTimeoutMs, clientId: `svc-${process}`, logger })
        : await openEmbedded()
    return { store: tracedLog(log), close: () => log.close() }
  },
})

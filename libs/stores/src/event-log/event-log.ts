import type { EventLog } from '@svc-server/log'
import { setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { tracedLog } from '../traced/event-log.ts'
import { openKafka } from './kafka.ts'
import { kafkaProblems, kafkaSettings, logAckTimeoutMs } from './settings.ts'

const kind = setting.choice(['kafka'], {
  env: 'SVC_LOG',
  default: 'kafka',
  says: 'Kind of the event log. If services run in separate processes, the log must be on Kafka.',
})

const variables = { kind, ...kafkaSettings }

export const eventLog: Store<EventLog> = defineStore({
  name: 'The event log',
  variables,
  validate: kafkaProblems,
  open: async (config, _, { logger, process }) => {
    const log = await openKafka(config, { clientId: `svc-${process}`, logger })
    return { store: tracedLog(log), close: () => log.close() }
  },
})

/** The event log for services that respond to clients: every append succeeds or fails within `logAckTimeoutMs`. */
export const answeringEventLog: Store<EventLog> = defineStore({
  name: 'The event log',
  variables: { ...variables, logAckTimeoutMs },
  validate: kafkaProblems,
  open: async (config, _, { logger, process }) => {
    const log = await openKafka(config, { ackTimeoutMs: config.logAckTimeoutMs, clientId: `svc-${process}`, logger })
    return { store: tracedLog(log), close: () => log.close() }
  },
})

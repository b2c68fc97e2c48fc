import { defineService } from '@svc-server/service'
import { workerPort } from '@svc-server/service/probes'
import { catalog } from '@svc-server/stores/catalog'
import { tables } from '@svc-server/stores/column-store-tables'
import { eventLog } from '@svc-server/stores/event-log'
import { migrationProblems } from '@svc-server/stores/migration'
import { relational } from '@svc-server/stores/relational'
import manifest from '../package.json' with { type: 'json' }
import { createEventsWriter } from './app.ts'
import { writerMetrics } from './metrics.ts'
import { writerConfig, writerVariables } from './settings.ts'

export const eventsWriter = defineService({
  name: 'events-writer',
  summary:
    'events-writer: event log to column store. Several instances divide the partitions among themselves, and each instance takes over the partitions of an instance that stops.',
  version: manifest.version,
  variables: writerVariables,
  needs: { relational, columnStore: tables, log: eventLog, catalog },
  metrics: writerMetrics,
  probePort: workerPort,
  validate: migrationProblems,
  monitored: { database: relational },
  create: (config, { columnStore, log, catalog, relational }, tools) =>
    createEventsWriter(writerConfig(config), { ...tools, log, columnStore, catalog, relational }),
})

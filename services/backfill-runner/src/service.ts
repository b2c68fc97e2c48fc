// You can start any number of runners. The runner with the lease works, and the other runners wait.
import { randomUUID } from 'node:crypto'
import { createDialect } from '@svc-server/schema/dialect'
import { defineService } from '@svc-server/service'
import { createMetrics } from '@svc-server/service/metrics'
import { tables } from '@svc-server/stores/column-store-tables'
import { answeringEventLog } from '@svc-server/stores/event-log'
import { relational } from '@svc-server/stores/relational'
import manifest from '../package.json' with { type: 'json' }
import { createRunner } from './app.ts'
import { backfillMetrics } from './metrics.ts'
import { backfillProbePort, backfillProblems, backfillVariables } from './settings.ts'

export const backfillRunner = defineService({
  name: 'backfill-runner',
  summary: 'backfill-runner: brings what v3 has stored into the events tables, once. Of any number that run, one works.',
  version: manifest.version,
  variables: backfillVariables,
  needs: { relational, columnStore: tables, log: answeringEventLog },
  metrics: backfillMetrics,
  probePort: backfillProbePort,
  validate: backfillProblems,
  create: (config, { relational, columnStore, log }, { clock, logger, metrics, onBug }) =>
    createRunner({
      config,
      relational,
      columnStore,
      log,
      clock,
      logger,
      onBug,
      metrics: createMetrics(backfillMetrics, metrics),
      owner: randomUUID(),
      dialect: createDialect({ database: columnStore.database, clustered: config.clustered, clusterName: config.clusterName }),
    }),
})

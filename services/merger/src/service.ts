// The merger as a service. After a cutover to `events_only`, the merger runs until it has merged the last records of
// the write modes `legacy` and `dual`.
import { createDenyList } from '@svc-server/deletions/deny-list'
import { denyListMetrics } from '@svc-server/deletions/metrics'
import { defineService } from '@svc-server/service'
import { createMetrics } from '@svc-server/service/metrics'
import { workerPort } from '@svc-server/service/probes'
import { columnStore } from '@svc-server/stores/column-store'
import { eventLog } from '@svc-server/stores/event-log'
import { localState } from '@svc-server/stores/local-state'
import { migrationProblems } from '@svc-server/stores/migration'
import manifest from '../package.json' with { type: 'json' }
import { createMerger } from './app.ts'
import { mergerMetrics } from './metrics.ts'
import { isNeeded } from './needed.ts'
import { createOlderRows } from './older-rows-query.ts'
import { mergerConfig, mergerVariables } from './settings.ts'

export const merger = defineService({
  name: 'merger',
  summary:
    'merger: merges events of the legacy API, and what spans say about their traces, for the tables of v3. ' +
    'Several instances divide the partitions among themselves, and each instance takes over the partitions of an instance that stops.',
  version: manifest.version,
  variables: mergerVariables,
  // The merger queries the column store only for entities that its state does not have. An outage of the column store therefore stops only
  // partitions with such entities. The other partitions continue.
  needs: { log: eventLog, columnStore, directories: localState },
  metrics: { ...denyListMetrics, ...mergerMetrics },
  probePort: workerPort,
  validate: migrationProblems,
  monitored: {},
  create(config, { log, columnStore, directories }, tools) {
    const denials = createDenyList({ log, logger: tools.logger, metrics: createMetrics(denyListMetrics, tools.metrics) })
    const older = createOlderRows(columnStore)
    const merger = createMerger(mergerConfig(config), { ...tools, log, older, denials, directory: directories.merger })
    let isRunning = false
    return {
      async start() {
        isRunning = await isNeeded(log, config.writeMode)
        if (!isRunning) return tools.logger.info('No event was ever accepted for the v3 tables, so there is nothing to merge')
        await denials.start()
        await merger.start()
      },
      async drain() {
        if (!isRunning) return
        await merger.drain()
        await denials.stop()
      },
    }
  },
})

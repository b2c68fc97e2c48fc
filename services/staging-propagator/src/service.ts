// The propagator and the merger: both take what is on the log to other topics of it, with a state beside the process. Several processes share the partitions and
// take over from each other.
import { defineService } from '@svc-server/service'
import { workerPort } from '@svc-server/service/probes'
import { columnStore } from '@svc-server/stores/column-store'
import { eventLog } from '@svc-server/stores/event-log'
import { localState } from '@svc-server/stores/local-state'
import { migrationProblems } from '@svc-server/stores/migration'
import manifest from '../package.json' with { type: 'json' }
import { createStagingPropagator } from './app.ts'
import { createMerger } from './merger/app.ts'
import { mergerMetrics } from './merger/metrics.ts'
import { createOlderRows } from './merger/older-rows-query.ts'
import { propagatorMetrics } from './metrics.ts'
import { mergerConfig, propagatorConfig, propagatorVariables } from './settings.ts'
import { startedTogether } from './together.ts'

/** Both call some of theirs by the same name in the code. */
const metrics = Object.fromEntries(
  [propagatorMetrics, mergerMetrics].flatMap(catalogue => Object.values(catalogue).map(metric => [metric.name, metric])),
)

export const stagingPropagator = defineService({
  name: 'staging-propagator',
  summary:
    'staging-propagator: fills trace attributes into staged spans, and merges events of the legacy API. ' +
    'Several share the partitions and take over from each other.',
  version: manifest.version,
  variables: propagatorVariables,
  // The column store as it is: it is asked for existing rows, and being without it keeps no span waiting.
  needs: { log: eventLog, columnStore, directories: localState },
  metrics,
  probePort: workerPort,
  validate: migrationProblems,
  monitored: {},
  create(config, { log, columnStore, directories }, tools) {
    const propagator = createStagingPropagator(propagatorConfig(config), { ...tools, log, directory: directories.propagator })
    const older = createOlderRows(columnStore)
    const merger = createMerger(mergerConfig(config), { ...tools, log, older, denials: propagator.denials, directory: directories.merger })
    return { ...startedTogether(propagator, merger), reports: { eventPropagation: propagator.report } }
  },
})

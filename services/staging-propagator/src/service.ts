import { defineService } from '@svc-server/service'
import { workerPort } from '@svc-server/service/probes'
import { eventLog } from '@svc-server/stores/event-log'
import { localState } from '@svc-server/stores/local-state'
import { migrationProblems } from '@svc-server/stores/migration'
import manifest from '../package.json' with { type: 'json' }
import { createStagingPropagator } from './app.ts'
import { propagatorMetrics } from './metrics.ts'
import { propagatorConfig, propagatorVariables } from './settings.ts'

export const stagingPropagator = defineService({
  name: 'staging-propagator',
  summary:
    'staging-propagator: fills trace attributes into staged spans. Several instances divide the partitions among themselves, and each instance takes over the partitions of an instance that stops.',
  version: manifest.version,
  variables: propagatorVariables,
  needs: { log: eventLog, directories: localState },
  metrics: propagatorMetrics,
  probePort: workerPort,
  validate: migrationProblems,
  monitored: {},
  create(config, { log, directories }, tools) {
    const propagator = createStagingPropagator(propagatorConfig(config), { ...tools, log, directory: directories.propagator })
    return { ...propagator, reports: { eventPropagation: propagator.report } }
  },
})

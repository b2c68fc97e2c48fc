// A propagator in a process of its own, wired: its port first, then the log, however long it takes. Several share the partitions.
import { join, resolve } from 'node:path'
import { ensurePrivateDirectory } from '@svc-server/service/files'
import { createHealth, type Health } from '@svc-server/service/health'
import { createPatientStart, type NamedService, type ProcessContext } from '@svc-server/service/lifecycle'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createProbeServer, createWorkerHealth } from '@svc-server/service/probes'
import { openRemoteLog } from '@svc-server/stores'
import manifest from '../package.json' with { type: 'json' }
import { createStagingPropagator, type StagingPropagator } from './app.ts'
import { type PropagatorProcessEnvironment, propagatorConfig } from './config.ts'

const { version } = manifest
const clock = Date.now

export function createPropagatorProcess({ env, logger, onBug }: ProcessContext<PropagatorProcessEnvironment>): {
  readonly health: Health
  readonly services: readonly NamedService[]
} {
  const health = createHealth({ version })
  const metrics = createMetricRegistry({ version })
  let propagator: StagingPropagator | undefined

  const workerServer = createProbeServer({
    health,
    logger,
    metrics,
    host: env.SVC_BIND,
    port: env.SVC_WORKER_PORT,
    also: createWorkerHealth({ health, eventPropagation: async () => propagator?.report() }),
  })

  const propagatorOnTheLog = createPatientStart({
    name: 'staging-propagator',
    health,
    logger,
    onRefused: () => process.exit(1),
    async open({ reach, onClose }) {
      const { SVC_MIGRATION_V4_WRITE_MODE: writeMode } = env
      if (writeMode === 'legacy') logger.info('In legacy mode nothing is staged: this process brings on what an earlier mode has left')
      const log = await reach('The event log', () => openRemoteLog(env, { writeMode, clientId: 'svc-staging-propagator', logger }))
      onClose(() => log.close())
      const dataDirectory = resolve(env.SVC_DATA_DIR)
      ensurePrivateDirectory(dataDirectory, 'SVC_DATA_DIR')
      const directory = join(dataDirectory, 'propagator')
      const made = createStagingPropagator(propagatorConfig(env), { log, directory, logger, metrics, health, clock, onBug })
      onClose(() => made.drain())
      await made.start()
      propagator = made
    },
  })
  return { health, services: [workerServer, propagatorOnTheLog] }
}

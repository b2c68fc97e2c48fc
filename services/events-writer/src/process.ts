// A writer in a process of its own, wired: its port first, then the stores, however long they take. Several share the partitions.
import { loadCatalogueSnapshot, type RelationalStore } from '@svc-server/relational'
import { createHealth, type Health } from '@svc-server/service/health'
import { createPatientStart, type NamedService, type ProcessContext } from '@svc-server/service/lifecycle'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createProbeServer, createWorkerHealth } from '@svc-server/service/probes'
import { migrateTables, openColumnStore, openRelational, openRemoteLog } from '@svc-server/stores'
import manifest from '../package.json' with { type: 'json' }
import { createEventsWriter } from './app.ts'
import { createCatalogueRefresh } from './catalogue.ts'
import { type WriterProcessEnvironment, writerConfig } from './config.ts'

const { version } = manifest
const clock = Date.now

export function createWriterProcess({ env, logger, onBug }: ProcessContext<WriterProcessEnvironment>): {
  readonly health: Health
  readonly services: readonly NamedService[]
} {
  const health = createHealth({ version })
  const metrics = createMetricRegistry({ version })
  let relational: RelationalStore | undefined

  const checkDatabase = () => relational?.ping() ?? Promise.reject(new Error('The relational store is not open yet.'))
  const workerServer = createProbeServer({
    health,
    logger,
    metrics,
    host: env.SVC_BIND,
    port: env.SVC_WORKER_PORT,
    also: createWorkerHealth({ health, checkDatabase }),
  })

  const writerOnItsStores = createPatientStart({
    name: 'events-writer',
    health,
    logger,
    onRefused: () => process.exit(1),
    async open({ reach, onClose }) {
      const store = await reach('The relational store', () => openRelational(env, logger))
      relational = store
      onClose(() => store.close())
      const columnStore = openColumnStore(env)
      onClose(() => columnStore.close())
      const { COLUMNSTORE_CLUSTER_ENABLED: clustered, COLUMNSTORE_CLUSTER_NAME: clusterName } = env
      await reach('The column store', () => migrateTables(columnStore, { clustered, clusterName, relational: store }))
      const { SVC_MIGRATION_V4_WRITE_MODE: writeMode } = env
      const log = await reach('The event log', () => openRemoteLog(env, { writeMode, clientId: 'svc-events-writer', logger }))
      onClose(() => log.close())
      const catalogue = createCatalogueRefresh({
        load: () => loadCatalogueSnapshot(store),
        intervalMs: env.SVC_CATALOGUE_REFRESH_MS,
        logger,
      })
      await reach('The relational store', () => catalogue.start())
      onClose(() => catalogue.stop())
      const deps = { log, columnStore, catalogue: catalogue.current, logger, metrics, health, clock, onBug }
      const writer = createEventsWriter(writerConfig(env), deps)
      onClose(() => writer.drain())
      await writer.start()
    },
  })
  return { health, services: [workerServer, writerOnItsStores] }
}

// Everything in one process, on the embedded stores: the same services as at scale, wired top to bottom.
import type { RequestListener, Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAppError } from '@svc-server/errors'
import { createCatalogueRefresh, createEventsWriter, writerConfig } from '@svc-server/events-writer'
import {
  createGatewayConnections,
  createKeyAuthenticator,
  createOtlpGateway,
  gatewayConfig,
  gatewayServerOptions,
} from '@svc-server/otlp-gateway'
import { loadCatalogueSnapshot } from '@svc-server/relational'
import { createHealth, healthy, unhealthy } from '@svc-server/service/health'
import { closeServer, createConnectionLimits, createHttpServer, listen, requireFree } from '@svc-server/service/http'
import type { NamedService, Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createProbeHandler, createWorkerHealth, maxProbeConnections } from '@svc-server/service/probes'
import { createStagingPropagator, propagatorConfig, type StagingPropagator } from '@svc-server/staging-propagator'
import manifest from '../package.json' with { type: 'json' }
import { serveCommands, socketPathOf } from './command-socket.ts'
import type { StandaloneEnvironment } from './config.ts'
import type { DataDirectory } from './data-dir.ts'
import { openStores, type Stores } from './stores.ts'

const { version } = manifest
const closeGraceMs = 5_000
const engineLeavesWithinMs = 5_000

export interface Standalone extends Service {
  readonly stores: Stores
  /** The ports that were really opened, once started. */
  ports(): { readonly public: number; readonly otlp: number; readonly worker: number }
  readonly projectId: string
  readonly publicKey: string
  readonly secretKey: string
}

interface Deps {
  readonly env: StandaloneEnvironment
  readonly directory: DataDirectory
  readonly logger: Logger
  /** Something was thrown that nobody expected: the process must end. */
  readonly onBug: (error: unknown) => void
  /** The same of what requests share: the process must finish what it has and end. */
  readonly onBroken: (error: unknown) => void
}

/** The engine of an instance that was killed leaves its port within moments; one that is still taken then is somebody else's. */
async function untilFree(host: string, port: number): Promise<void> {
  const giveUpAt = performance.now() + engineLeavesWithinMs
  for (;;) {
    try {
      return await requireFree({ host, port, variable: 'COLUMNSTORE_PORT' })
    } catch (error) {
      if (!isAppError(error) || error.code !== 'port_in_use' || performance.now() > giveUpAt) throw error
      await sleep(100)
    }
  }
}

/** Wiring alone; nothing is opened before start(). */
export function createStandalone({ env, directory, logger, onBug, onBroken }: Deps): Standalone {
  const health = createHealth({ version })
  const metrics = createMetricRegistry({ version })
  let isStarted = false
  // Until the services are there, and say so themselves, nothing is ready.
  const opening = unhealthy('the stores are being opened')
  health.register({ name: 'standalone', probe: 'ready', check: () => (isStarted ? healthy : opening) })
  const probes = createProbeHandler({ health, metrics })
  const checkDatabase = async () => (await stores.relational()).ping()
  let propagator: StagingPropagator | undefined
  const workerHealth = createWorkerHealth({ health, checkDatabase, eventPropagation: async () => propagator?.report() })
  const stores = openStores(
    env,
    { writeMode: env.SVC_MIGRATION_V4_WRITE_MODE, ackTimeoutMs: env.SVC_LOG_ACK_TIMEOUT_MS },
    directory,
    logger,
  )
  const publicKey = env.SVC_INIT_PROJECT_PUBLIC_KEY ?? stores.secrets.publicKey
  const secretKey = env.SVC_INIT_PROJECT_SECRET_KEY ?? stores.secrets.secretKey

  const servers: Server[] = []
  let services: readonly NamedService[] = []
  let handleOtlp: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '1' }).end()
  let expectContinue: RequestListener = handleOtlp
  const ports = { public: 0, otlp: 0, worker: 0 }

  const onDefect = (error: unknown) => logger.error({ err: error }, 'A request or command failed by a defect')

  const open = async (name: keyof typeof ports, server: Server, port: number, variable: string) => {
    servers.push(server)
    ports[name] = (await listen(server, { host: env.SVC_BIND, port, variable })).port
  }
  // One count for both: descriptors are the process's.
  const connections = createGatewayConnections(gatewayConfig(env), { metrics })
  // Both OTLP ports: until the gateway is wired, requests get 503.
  const createOtlpServer = () =>
    createHttpServer({
      handle: (request, response) => handleOtlp(request, response),
      handleExpectingContinue: (request, response) => expectContinue(request, response),
      onDefect,
      server: gatewayServerOptions(gatewayConfig(env)),
      connections,
    })
  const createWorkerServer = () =>
    createHttpServer({
      handle(request, response) {
        if (!probes(request, response) && !workerHealth(request, response)) response.writeHead(404).end()
      },
      onDefect,
      connections: createConnectionLimits({ maxConnections: maxProbeConnections }),
    })

  return {
    stores,
    projectId: env.SVC_INIT_PROJECT_ID,
    publicKey,
    secretKey,
    ports: () => ports,

    async start() {
      // Ports first: a busy one is said at once, not after the stores have been opened.
      await open('public', createOtlpServer(), env.PORT, 'PORT')
      await open('otlp', createOtlpServer(), env.SVC_OTLP_PORT, 'SVC_OTLP_PORT')
      await open('worker', createWorkerServer(), env.SVC_WORKER_PORT, 'SVC_WORKER_PORT')
      if (env.COLUMNSTORE_URL === undefined) await untilFree(env.SVC_BIND, env.COLUMNSTORE_PORT)

      const [columnStore, keys] = await Promise.all([stores.columnStore(), stores.keys()])
      // Not beside the keys: the embedded relational store holds the event loop up for seconds when it is new, and brokers would seem silent.
      const log = await stores.log()
      await stores.migrate()
      await keys.ensureProject({ orgId: env.SVC_INIT_ORG_ID, projectId: env.SVC_INIT_PROJECT_ID, publicKey, secretKey })

      const clock = Date.now
      const authenticate = createKeyAuthenticator(keys, { metrics, clock })
      const gateway = createOtlpGateway(gatewayConfig(env), { log, authenticate, logger, metrics, health, clock, onBroken, checkDatabase })
      const relational = await stores.relational()
      const catalogue = createCatalogueRefresh({
        load: () => loadCatalogueSnapshot(relational),
        intervalMs: env.SVC_CATALOGUE_REFRESH_MS,
        logger,
      })
      const readCatalogue = { name: 'catalogue', start: catalogue.start, drain: catalogue.stop }
      const writer = createEventsWriter(writerConfig(env), {
        log,
        columnStore,
        catalogue: catalogue.current,
        logger,
        metrics,
        health,
        clock,
        onBug,
      })
      // In legacy mode, too, in which nothing is staged: an earlier one may have left something.
      const { propagator: stateDirectory } = directory.paths
      propagator = createStagingPropagator(propagatorConfig(env), {
        log,
        directory: stateDirectory,
        logger,
        metrics,
        health,
        clock,
        onBug,
      })
      services = [readCatalogue, writer, ...(propagator ? [propagator] : []), gateway]
      for (const service of services) await service.start()
      isStarted = true
      handleOtlp = gateway.handle
      expectContinue = gateway.handleExpectingContinue

      const context = { keys: stores.keys, log: stores.log, columnStore: stores.columnStore, servicesRunning: true }
      servers.push(await serveCommands(socketPathOf(directory.path), context, onDefect))
    },

    async drain() {
      health.drain()
      for (const service of services.toReversed()) await service.drain()
      await Promise.all(servers.map(server => closeServer(server, { graceMs: closeGraceMs })))
      await stores.close()
      directory.release()
    },
  }
}

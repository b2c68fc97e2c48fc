// A gateway in a process of its own, wired: ports first, then the stores, however long they take.
import type { RequestListener } from 'node:http'
import { createHealth, type Health } from '@svc-server/service/health'
import { closeServer, createHttpServer, listen } from '@svc-server/service/http'
import { createPatientStart, type NamedService, type ProcessContext } from '@svc-server/service/lifecycle'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createProbeServer } from '@svc-server/service/probes'
import { openKeys, openRelational, openRemoteLog } from '@svc-server/stores'
import manifest from '../package.json' with { type: 'json' }
import { createOtlpGateway, gatewayServerOptions } from './app.ts'
import { createKeyAuthenticator } from './authentication.ts'
import { type GatewayProcessEnvironment, gatewayConfig } from './config.ts'
import { createGatewayConnections } from './connections.ts'

const { version } = manifest
const closeGraceMs = 5_000
const clock = Date.now

export function createGatewayProcess({ env, logger, onBroken }: ProcessContext<GatewayProcessEnvironment>): {
  readonly health: Health
  readonly services: readonly NamedService[]
} {
  const health = createHealth({ version })
  const metrics = createMetricRegistry({ version })
  const config = gatewayConfig(env)

  const unavailable: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
  let [handle, handleExpectingContinue] = [unavailable, unavailable]
  const server = createHttpServer({
    handle: (request, response) => handle(request, response),
    handleExpectingContinue: (request, response) => handleExpectingContinue(request, response),
    onDefect: error => logger.error({ err: error }, 'A request failed by a defect'),
    server: gatewayServerOptions(config),
    connections: createGatewayConnections(config, { metrics }),
  })

  const otlpServer: NamedService = {
    name: 'OTLP server',
    start: async () => void (await listen(server, { host: env.SVC_BIND, port: env.SVC_OTLP_PORT, variable: 'SVC_OTLP_PORT' })),
    drain: () => closeServer(server, { graceMs: closeGraceMs }),
  }

  const gatewayOnItsStores = createPatientStart({
    name: 'otlp-gateway',
    health,
    logger,
    onRefused: () => process.exit(1),
    async open({ reach, onClose }) {
      const store = await reach('The relational store', () => openRelational(env, logger))
      onClose(() => store.close())
      const keys = await reach('The relational store', () => openKeys(store, env))
      const { SVC_MIGRATION_V4_WRITE_MODE: writeMode, SVC_LOG_ACK_TIMEOUT_MS: ackTimeoutMs } = env
      const log = await reach('The event log', () => openRemoteLog(env, { writeMode, ackTimeoutMs, clientId: 'svc-otlp-gateway', logger }))
      onClose(() => log.close())
      const authenticate = createKeyAuthenticator(keys, { metrics, clock })
      const gateway = createOtlpGateway(config, {
        log,
        authenticate,
        logger,
        metrics,
        health,
        clock,
        onBroken,
        checkDatabase: () => store.ping(),
      })
      await gateway.start()
      onClose(() => gateway.drain())
      ;[handle, handleExpectingContinue] = [gateway.handle, gateway.handleExpectingContinue]
    },
  })

  const probeServer = createProbeServer({
    health,
    logger,
    metrics,
    host: env.SVC_BIND,
    port: env.SVC_GATEWAY_PROBE_PORT,
    variable: 'SVC_GATEWAY_PROBE_PORT',
  })
  // Drained from the last to the first: requests in flight, then the connections, the probes at the end.
  return { health, services: [probeServer, otlpServer, gatewayOnItsStores] }
}

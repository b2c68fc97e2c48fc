import { writeArrivals } from '@svc-server/relational/arrivals'
import { instance } from '@svc-server/relational/tenancy'
import { defineService } from '@svc-server/service'
import { answeringEventLog } from '@svc-server/stores/event-log'
import { keys } from '@svc-server/stores/keys'
import { relational } from '@svc-server/stores/relational'
import { createIngestIds } from '@svc-server/stream/ingest-id'
import manifest from '../package.json' with { type: 'json' }
import { createOtlpGateway } from './app.ts'
import { createKeyAuthenticator } from './authentication.ts'
import { createGatewayListener } from './listener.ts'
import { gatewayMetrics } from './metrics.ts'
import { gatewayConfig, gatewayProbePort, gatewayProblems, gatewayVariables, grpcPort, otlpPort } from './settings.ts'

export const otlpGateway = defineService({
  name: 'otlp-gateway',
  summary: 'otlp-gateway: OTLP over HTTP and gRPC to the event log. Any number of them run beside each other.',
  version: manifest.version,
  variables: gatewayVariables,
  needs: { relational, keys, log: answeringEventLog },
  metrics: gatewayMetrics,
  probePort: gatewayProbePort,
  validate: gatewayProblems,
  front: {
    create: (config, tools) => createGatewayListener(gatewayConfig(config), tools),
    ports: [
      { name: 'OTLP server', port: otlpPort, newServer: front => front.newServer() },
      { name: 'OTLP/gRPC server', port: grpcPort, newServer: front => front.newStreamServer() },
    ],
  },
  create(config, { relational, keys, log }, { front, ...tools }) {
    const authenticate = createKeyAuthenticator(keys, tools)
    const ingestIds = createIngestIds(keys.pairOf('ingest-id').secretKey)
    const checkDatabase = () => relational.ping()
    const gateway = createOtlpGateway(gatewayConfig(config), {
      ...{ ...tools, log, authenticate, ingestIds, checkDatabase },
      writeArrivals: arrivals => writeArrivals(instance(relational), arrivals),
    })
    return {
      async start() {
        await gateway.start()
        front.attach(gateway)
      },
      drain: gateway.drain,
    }
  },
})

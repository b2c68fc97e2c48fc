// The ports of OTLP. They are open before the stores are: until a gateway is attached, who asks is told to come again.
import type { RequestListener } from 'node:http'
import type { Front, RequestHandlers, ServiceTools } from '@svc-server/service'
import { createHttpServer } from '@svc-server/service/http'
import { gatewayServerOptions, type OtlpGateway } from './app.ts'
import { createGatewayConnections } from './connections.ts'
import type { GatewayConfig } from './settings.ts'

export interface GatewayFront extends Front {
  attach(gateway: Pick<OtlpGateway, 'handle' | 'handleExpectingContinue'>): void
}

/** Any number of servers count their connections together: descriptors are the process's. */
export function createGatewayFront(config: GatewayConfig, { metrics, logger }: Pick<ServiceTools, 'metrics' | 'logger'>): GatewayFront {
  const unavailable: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
  let [handle, handleExpectingContinue] = [unavailable, unavailable]
  const connections = createGatewayConnections(config, { metrics })
  const requests: RequestHandlers = {
    handle: (request, response) => handle(request, response),
    handleExpectingContinue: (request, response) => handleExpectingContinue(request, response),
  }
  return {
    requests,
    newServer: () =>
      createHttpServer({
        ...requests,
        onDefect: error => logger.error({ err: error }, 'A request failed by a defect'),
        server: gatewayServerOptions(config),
        connections,
      }),
    attach(gateway) {
      ;[handle, handleExpectingContinue] = [gateway.handle, gateway.handleExpectingContinue]
    },
  }
}

// The port of the public API. It is open before the stores are: until the API is attached, who asks is told
// to come again. What belongs to the gateway it hands over as it came, whether that is a server of the same
// process or somewhere else.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Front, RequestHandlers, ServiceTools } from '@svc-server/service'
import { connectionsOf } from '@svc-server/service/connections'
import { createHttpServer } from '@svc-server/service/http'
import { createMetrics } from '@svc-server/service/metrics'
import type { PublicApi } from './app.ts'
import { createOtlpProxy } from './http/otlp-proxy.ts'
import { apiMetrics } from './metrics.ts'
import type { ApiConfig } from './settings.ts'

export interface ApiFront extends Front {
  attach(api: Pick<PublicApi, 'handle' | 'handleExpectingContinue'>): void
  close(): void
}

/** Paths of OTLP; slashes may be doubled, as a base URL with a trailing one makes them. */
const otlpPaths = /^\/{1,8}(?:api\/{1,8}public\/{1,8}otel|v1)\//

const isOtlp = ({ url = '' }: IncomingMessage) => url.startsWith('/api/public/otel/') || otlpPaths.test(url)

export function createApiFront(config: ApiConfig, { metrics: registry, logger }: Pick<ServiceTools, 'metrics' | 'logger'>): ApiFront {
  const metrics = createMetrics(apiMetrics, registry)
  const unavailable: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
  let api: RequestHandlers = { handle: unavailable, handleExpectingContinue: unavailable }
  const proxy = config.otlpUrls.length > 0 ? createOtlpProxy(config.otlpUrls) : undefined
  let gateway: RequestHandlers | undefined = proxy
  const meant = (request: IncomingMessage): RequestHandlers => (gateway !== undefined && isOtlp(request) ? gateway : api)
  const requests: RequestHandlers = {
    handle: (request, response) => meant(request).handle(request, response),
    handleExpectingContinue: (request, response) => meant(request).handleExpectingContinue(request, response),
  }
  const connections = connectionsOf(config, { process: registry, onRefused: limit => metrics.refusedConnections.inc({ limit }) })
  metrics.connections.onScrape(() => metrics.connections.set(connections.open))

  return {
    requests,
    newServer: () =>
      createHttpServer({
        ...requests,
        onDefect: error => logger.error({ err: error }, 'A request failed by a defect'),
        // As the gateway's: whoever sends scores or spans every few seconds keeps the connection.
        server: { keepAliveTimeout: 75_000, headersTimeout: 15_000, requestTimeout: 2 * config.bodyTimeoutMs + 15_000 },
        connections,
      }),
    handOver: to => void (gateway = to),
    attach: to => void (api = to),
    close: () => proxy?.close(),
  }
}

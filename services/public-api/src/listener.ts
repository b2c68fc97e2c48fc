// The listener on the public port. It forwards OTLP requests unchanged to a gateway in this process or elsewhere.
import type { IncomingMessage } from 'node:http'
import type { RequestHandlers, ServiceTools } from '@svc-server/service'
import { type ClientListener, createClientListener } from '@svc-server/service/connections'
import { createSeldomLog } from '@svc-server/service/logs'
import { createOtlpProxy } from './otlp-proxy.ts'
import type { ApiConfig } from './settings.ts'
import { readWebFiles } from './web/files.ts'
import { createWebApp } from './web/serve.ts'

export interface ApiListener extends ClientListener {
  close(): void
}

/** OTLP paths. They can contain two slashes in a row, because the base URL of some clients ends in a slash. */
const otlpPaths = /^\/{1,8}(?:api\/{1,8}public\/{1,8}otel|v1)\//
/**
 * Exporters whose URL is wrong send requests to these paths. The gateway refuses these requests with a response in the format of
 * OTLP, which exporters understand.
 */
const otlpMistakes = [
  /^\/{0,8}(?:\?|$)/,
  /^\/{1,8}(?:api(?:\/{1,8}public)?|v1|traces?|spans|metrics)\/{0,8}(?:\?|$)/i,
  /^\/{1,8}(?:api\/{1,8})?(?:public\/{1,8})?(?:otel|otlp|opentelemetry)(?:[/.?]|$)/i,
  /^\/{1,8}(?:api\/{1,8})?(?:v\d\/{1,8})?(?:traces?|spans)\/{0,8}(?:\?|$)/i,
  /\/v1\/{1,8}(?:traces|metrics|logs)\/{0,8}(?:\?|$)/i,
]
/** Only exporters send protobuf. */
const protobuf = /^\s*application\/x-protobuf/i

const isOtlp = ({ url = '', method, headers }: IncomingMessage) =>
  url.startsWith('/api/public/otel/') ||
  otlpPaths.test(url) ||
  (method === 'POST' && (protobuf.test(headers['content-type'] ?? '') || otlpMistakes.some(path => path.test(url))))

export function createApiListener(config: ApiConfig, tools: Pick<ServiceTools, 'metrics' | 'logger'>): ApiListener {
  const seldom = createSeldomLog(tools.logger, Date.now, 'alsoFailed')
  const onUnreachable = (gateway: string, err: Error) =>
    seldom.note(gateway, 'warn', { gateway, err }, 'A gateway does not accept a request')
  const proxy = config.otlpUrls.length > 0 ? createOtlpProxy(config.otlpUrls, onUnreachable) : undefined
  let gateway: RequestHandlers | undefined = proxy
  const webApp = config.webDirectory === undefined ? undefined : createWebApp(readWebFiles(config.webDirectory), config.basePath)
  const elsewhere = (request: IncomingMessage) => (gateway !== undefined && isOtlp(request) ? gateway : webApp?.(request))
  return {
    ...createClientListener({ name: 'api', config, tools, elsewhere }),
    handOver: to => void (gateway = to),
    close: () => proxy?.close(),
  }
}

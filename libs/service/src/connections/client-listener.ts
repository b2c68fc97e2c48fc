// The client port of a service, which opens before the stores are ready. Until `attach` is called, the port asks clients to retry.
import type { IncomingMessage, RequestListener, ServerOptions } from 'node:http'
import {
  createBasePath,
  createClientAddresses,
  createHttpServer,
  createStreamServer,
  type PortServer,
  type StreamHandler,
  tracedRequests,
  tracedStreams,
} from '@svc-server/http/listeners'
import type { Front, RequestHandlers, ServiceTools } from '../definition/define-service.ts'
import { createSeldomLog } from '../logs/seldom.ts'
import { defineMetrics } from '../metrics/definition.ts'
import { createMetrics } from '../metrics/registry.ts'
import { serverTlsOf, type TlsConfig, tlsMetrics } from '../tls/index.ts'
import { type ConnectionConfig, connectionsOf } from './process-connections.ts'

export interface ClientListener extends Front {
  /** Creates HTTP/2 servers that do not listen yet. Their connections count toward the limits of this listener. */
  newStreamServer(): PortServer
  attach(service: ClientService): void
}

interface ClientService extends RequestHandlers {
  readonly handleStream?: StreamHandler
}

export interface ClientListenerConfig extends ConnectionConfig, TlsConfig {
  readonly bodyTimeoutMs: number
  /** Prefix of every route. */
  readonly basePath?: string | undefined
}

export interface ClientListenerOptions {
  /** The names of the listener's metrics begin with `svc_<name>_`. */
  readonly name: string
  readonly config: ClientListenerConfig
  readonly tools: Pick<ServiceTools, 'metrics' | 'logger'>
  /** Returns the handlers of another service if the request belongs to it. */
  readonly elsewhere?: (request: IncomingMessage) => RequestHandlers | undefined
}

/** Defines a service's metrics about connections. The names of these metrics begin with `svc_<name>_`. */
export const connectionMetrics = (name: string) =>
  defineMetrics({
    connections: {
      type: 'gauge',
      name: `svc_${name}_connections`,
      help: 'Open client connections.',
    },
    refusedConnections: {
      type: 'counter',
      name: `svc_${name}_refused_connections_total`,
      help: 'Refused connections, by the limit that was reached: the limit of the whole process (“all”) or of one address.',
      labels: { limit: ['all', 'address'] },
    },
    ...tlsMetrics,
  })

/**
 * Exporters and browsers send a request every few seconds, so idle connections stay open. If the server closed an idle connection while a
 * client sends a request, the client would have to retry. The server closes a connection if the headers or the whole request take too long
 * to arrive (`headersTimeout`, `requestTimeout`).
 */
export const clientServerOptions = ({ bodyTimeoutMs }: Pick<ClientListenerConfig, 'bodyTimeoutMs'>): ServerOptions => ({
  keepAliveTimeout: 75_000,
  headersTimeout: 15_000,
  requestTimeout: 2 * bodyTimeoutMs + 15_000,
})

/** Clients can send a whole URL as request target, as they do to a proxy (RFC 9112 §3.2.2). */
const originForm = (target = ''): string => {
  if (!/^https?:\/\//i.test(target)) return target
  const path = target.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

const unavailable: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
/** gRPC clients treat HTTP status 503 as UNAVAILABLE. */
const unavailableStream: StreamHandler = stream => stream.respond({ ':status': 503, 'retry-after': '1' }, { endStream: true })

/**
 * All servers of a process share its file descriptors, so their connections are counted together. Throws `config_invalid` if the process
 * has too few file descriptors, or if the certificate is unusable.
 */
export function createClientListener({ name, config, tools, elsewhere }: ClientListenerOptions): ClientListener {
  const metrics = createMetrics(connectionMetrics(name), tools.metrics)
  const connections = connectionsOf(config, { process: tools.metrics, onRefused: limit => metrics.refusedConnections.inc({ limit }) })
  metrics.connections.onScrape(() => metrics.connections.set(connections.open))
  let service: ClientService = { handle: unavailable, handleExpectingContinue: unavailable }
  const removeBasePath = createBasePath(config.basePath)
  function whose(request: IncomingMessage): RequestHandlers {
    request.url = originForm(request.url)
    removeBasePath(request)
    return elsewhere?.(request) ?? service
  }
  const requests: RequestHandlers = {
    handle: (request, response) => whose(request).handle(request, response),
    handleExpectingContinue: (request, response) => whose(request).handleExpectingContinue(request, response),
  }
  const addresses = createClientAddresses(config.trustedProxies)
  const tls = serverTlsOf(config, tools)
  const seldom = createSeldomLog(tools.logger, Date.now, 'alsoCame')
  const onForeign = (port: 'HTTP' | 'gRPC', address?: string) => {
    metrics.tlsToPlain.inc()
    const protocols = port === 'HTTP' ? 'TLS' : 'TLS or HTTP/1'
    const sentence = `A client spoke ${protocols} to the ${port} port, which does not use TLS: set SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE, or let the client use http://`
    seldom.note(port, 'warn', { address }, sentence)
  }
  const onDefect = (error: unknown) => tools.logger.error({ err: error }, 'A request failed because of a defect')
  return {
    requests,
    newServer: () =>
      createHttpServer({
        handle: tracedRequests(requests.handle),
        handleExpectingContinue: tracedRequests(requests.handleExpectingContinue),
        ...{ onDefect, server: clientServerOptions(config), connections, addresses, tls },
        onTlsToPlain: ({ remoteAddress }) => onForeign('HTTP', remoteAddress),
      }),
    newStreamServer: () =>
      createStreamServer({
        handle: tracedStreams((stream, headers, rawHeaders) => (service.handleStream ?? unavailableStream)(stream, headers, rawHeaders)),
        onDefect,
        connections,
        tls,
        // With TLS, the check for other protocols is unnecessary, because a client that completes the handshake has reached the right port.
        onForeign: tls ? undefined : () => onForeign('gRPC'),
        ...{ addresses, idleMs: 5 * 60_000, firstStreamMs: 15_000, answerMs: config.bodyTimeoutMs },
      }),
    attach: to => void (service = to),
  }
}

// Serves probes and metrics, either with an HTTP server on a separate port or as a handler in the HTTP server of a service.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeServer, createHttpServer, listen, parseTarget } from '@svc-server/http/listeners'
import { type Health, probes } from '../health/health.ts'
import type { Service } from '../lifecycle/run-until-signal.ts'
import type { Logger } from '../logs/logger.ts'
import { createMetricsPage } from './metrics-page.ts'
import { createProbeConnections } from './probe-connections.ts'

export interface ProbeOptions {
  readonly health: Health
  readonly metrics: { render(): Promise<string>; readonly contentType: string }
}

const probePaths = new Map(probes.map(probe => [`/health/${probe}`, probe]))

const send = (response: ServerResponse, status: number, contentType: string, body: string | Buffer, headOnly: boolean) => {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' })
  response.end(headOnly ? undefined : body)
}

/** Handles `/health/<probe>` and `/metrics`, and returns false for any other path. */
export const createProbeHandler = ({ health, metrics }: ProbeOptions) => {
  const page = createMetricsPage(() => metrics.render())
  const answer = async (path: string, response: ServerResponse, headOnly: boolean) => {
    const probe = probePaths.get(path)
    if (probe === undefined) return send(response, 200, metrics.contentType, await page(), headOnly)
    const { status, body } = await health.evaluate(probe)
    send(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`, headOnly)
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { path } = parseTarget(request.url)
    if (path !== '/metrics' && !probePaths.has(path)) return false
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      send(response, 405, 'text/plain; charset=utf-8', 'Use GET.\n', false)
      return true
    }
    // If a metric cannot be read, only this scrape fails, and the process continues.
    answer(path, response, request.method === 'HEAD').catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else send(response, 500, 'text/plain; charset=utf-8', `${error instanceof Error ? error.message : String(error)}\n`, false)
    })
    return true
  }
}

export interface ProbeServerOptions extends ProbeOptions {
  readonly host: string
  readonly port: number
  /** The environment variable of the port. */
  readonly variable: string
  /** Handles the other paths. Returns true if it responds to the request. */
  readonly also?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Logs errors of handlers. The failed request gets a 500. */
  readonly logger: Pick<Logger, 'error'>
}

export interface ProbeServer extends Service {
  readonly name: string
  /** Port of the server, which is known after the start. */
  readonly port: number
}

const closeGraceMs = 1000

export const isProbe = (request: IncomingMessage): boolean => probePaths.has(parseTarget(request.url).path)

/**
 * The process must start this server before all services and stop it after them. Probes then get responses until every service has drained.
 */
export const createProbeServer = (options: ProbeServerOptions): ProbeServer => {
  const handle = createProbeHandler(options)
  const places = createProbeConnections()
  const server = createHttpServer({
    handle(request, response) {
      if (!places.mayAsk(request, isProbe(request))) return void response.writeHead(503, { 'retry-after': '5', connection: 'close' }).end()
      if (!handle(request, response) && !options.also?.(request, response))
        send(response, 404, 'text/plain; charset=utf-8', 'Not found.\n', request.method === 'HEAD')
    },
    onDefect: error => options.logger.error({ err: error }, 'A request failed because of a defect'),
    connections: places.connections,
    server: places.server,
  })
  let { port } = options

  return {
    name: 'probe server',
    async start() {
      const { host, variable } = options
      const address = await listen(server, { host, port: options.port, variable })
      port = address.port
    },
    drain: () => closeServer(server, { graceMs: closeGraceMs }),
    get port() {
      return port
    },
  }
}

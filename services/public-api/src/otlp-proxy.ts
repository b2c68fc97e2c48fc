// If this process has no gateway, forwards OTLP requests that arrive on the public port to a gateway in another process.
import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { pipeline } from 'node:stream'
import type { RequestHandlers } from '@svc-server/service'

export interface OtlpProxy extends RequestHandlers {
  close(): void
}

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const ofTheHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'])
/** Maximum number of connections to a gateway. More connections could exceed the gateway's limit for one address. */
const maxSockets = 256
const connectTimeoutMs = 2_000

function passedOn({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
  const named = new Set(
    (headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map(name => name.trim()),
  )
  const kept = Object.entries(headers).filter(([name]) => !ofTheHop.has(name) && !named.has(name))
  const chain = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')
  const coding = headers['transfer-encoding']
  return { ...Object.fromEntries(kept), ...(coding !== undefined && { 'transfer-encoding': coding }), 'x-forwarded-for': chain }
}

/**
 * The proxy uses the origins `urls` in rotation. If a gateway refuses the connection, nothing has been sent yet. The proxy then tries the
 * next gateway.
 */
export function createOtlpProxy(urls: readonly string[], onUnreachable: (origin: string, error: Error) => void): OtlpProxy {
  const agents = {
    plain: new Agent({ keepAlive: true, maxSockets, timeout: 120_000 }),
    tls: new TlsAgent({ keepAlive: true, maxSockets, timeout: 120_000 }),
  }
  let turn = 0

  function pass(request: IncomingMessage, response: ServerResponse, attempt: number): void {
    const origin = urls[(turn + attempt) % urls.length]!
    const isTls = origin.startsWith('https:')
    const upstream = (isTls ? httpsRequest : httpRequest)(origin + (request.url ?? '/'), {
      ...{ method: request.method, headers: passedOn(request) },
      agent: isTls ? agents.tls : agents.plain,
    })
    let connected = false
    const fail = (error: Error) => {
      // The client's own disconnect says nothing about the gateway.
      if (!response.destroyed) onUnreachable(origin, error)
      if (!connected && attempt + 1 < urls.length) return pass(request, response, attempt + 1)
      if (response.headersSent || response.destroyed) return void response.destroy()
      response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
    }
    upstream.once('error', fail)
    upstream.once('response', answer => {
      upstream.off('error', fail).on('error', () => {})
      const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== 'connection' && name !== 'keep-alive'))
      // True if the gateway refused the request without reading the rest of its body.
      const unread = !request.complete
      response.writeHead(answer.statusCode ?? 502, { ...headers, ...(unread && { connection: 'close' }) })
      pipeline(answer, response, () => {})
    })
    response.once('close', () => upstream.destroy())
    upstream.once('socket', socket => {
      const send = () => {
        connected = true
        pipeline(request, upstream, () => {})
      }
      // A reused connection is already open. This code adds no listeners to the connection, because the listeners of all its requests would
      // accumulate.
      if (!socket.connecting) return send()
      const timer = setTimeout(() => upstream.destroy(new Error('The gateway did not accept a connection in time.')), connectTimeoutMs)
      socket.once('close', () => clearTimeout(timer))
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer)
        send()
      })
    })
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {})
    turn = (turn + 1) % urls.length
    pass(request, response, 0)
  }

  return {
    handle,
    handleExpectingContinue(request, response) {
      response.writeContinue()
      handle(request, response)
    },
    close() {
      agents.plain.destroy()
      agents.tls.destroy()
    },
  }
}

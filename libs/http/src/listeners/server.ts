// Creates all HTTP/1.1 servers. If a handler throws an error, only the request fails: the process always continues.
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createBans } from './bans.ts'
import { type ClientAddresses, createClientAddresses } from './client-address.ts'
import { answerClientErrors } from './client-errors.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import { createPieceAllowance, limitPieces, skipRestOfBody } from './pieces.ts'
import { createTurns } from './pipelining.ts'
import type { ServerTls } from './server-tls.ts'

export { parseTarget } from './target.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface HttpServerOptions {
  readonly handle: Handler
  /** Handler for requests that wait for `100 Continue`. Without this handler, the server sends `100 Continue` by itself. */
  readonly handleExpectingContinue?: Handler
  /** Called with a handler's error, after the request got a 500. Errors of `onDefect` itself are ignored. */
  readonly onDefect: (error: unknown) => void
  readonly server?: ServerOptions
  readonly connections?: ConnectionLimits
  /** Finds the address of a client. By default, this is the address of the connection's peer. */
  readonly addresses?: ClientAddresses
  /** If present, the server accepts only TLS. */
  readonly tls?: ServerTls | undefined
  readonly onTlsToPlain?: ((socket: Socket) => void) | undefined
}

/**
 * Responds with 500. If a response has already begun, closes the connection, so that the client does not take a partial response for a
 * complete one.
 */
function answerDefect(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response
    .writeHead(500, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end('The request failed because of a defect.\n')
}

/** Creates a node:http server that does not listen yet. */
export function createHttpServer({
  handle,
  handleExpectingContinue,
  onDefect,
  server: options = {},
  connections,
  addresses = createClientAddresses([]),
  tls,
  onTlsToPlain,
}: HttpServerOptions): Server {
  const guarded = (handler: Handler) => async (request: IncomingMessage, response: ServerResponse) => {
    // The connection can break during a response. Without a listener, the error would end the process.
    response.on('error', () => {})
    try {
      await handler(request, response)
    } catch (error) {
      try {
        answerDefect(response)
      } finally {
        onDefect(error)
      }
    }
  }
  const bans = createBans(addresses)
  const takePiece = createPieceAllowance()
  const inTurn = createTurns({ isBanned: bans.has, onExcess: bans.add })
  function end(request: IncomingMessage): void {
    skipRestOfBody(request)
    bans.add(request)
    request.socket.destroy()
  }
  const answering = new WeakMap<Socket, ServerResponse>()
  const run = (handler: Handler) => {
    const work = guarded(handler)
    return (request: IncomingMessage, response: ServerResponse) => {
      // Node's parser also delivers requests that it read before the connection ended.
      if (request.socket.destroyed) return
      limitPieces(request, { isBanned: () => bans.has(request), takePiece, onExcess: () => end(request) })
      response.once('finish', () => endUnread(request))
      const isForwarded = addresses.ofPeer(request.socket.remoteAddress) === undefined
      if (isForwarded && bans.has(request)) return inTurn(request, response, () => refuseBanned(response))
      inTurn(request, response, () => {
        answering.set(request.socket, response)
        void work(request, response).catch(() => response.destroy())
      })
    }
  }
  const server = tls ? secured(options, tls, run(handle)) : createServer(options, run(handle))
  answerClientErrors(server, socket => isBegun(answering.get(socket)), onTlsToPlain)
  if (handleExpectingContinue) server.on('checkContinue', run(handleExpectingContinue))
  if (connections) limitConnections(server, connections, { silent: tls !== undefined })
  bans.enforce(server)
  return server
}

/**
 * Closes the connection if the rest of a chunked body is unread. If the connection stayed open, Node would read the whole rest, in order
 * to reuse the connection.
 */
function endUnread(request: IncomingMessage): void {
  if (request.complete || request.headers['content-length'] !== undefined) return
  skipRestOfBody(request)
  request.socket.destroySoon()
}

const refuseBanned = (response: ServerResponse) => response.writeHead(429, { 'retry-after': '30', connection: 'close' }).end()

const isBegun = (response: ServerResponse | undefined): boolean => response?.headersSent === true && !response.writableFinished

function secured(options: ServerOptions, tls: ServerTls, handle: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createTlsServer({ ...options, ...tls.options(), ALPNProtocols: ['http/1.1'] }, handle)
  const handshakes = tls.guard(server)
  const closeAll = server.closeAllConnections.bind(server)
  return Object.assign(server, {
    closeAllConnections() {
      closeAll()
      handshakes.closeAll()
    },
  })
}

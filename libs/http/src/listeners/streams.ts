// Creates all HTTP/2 servers, used for gRPC. A handler's error fails its stream but never the process. The server disconnects clients that
// send no request, are rejected repeatedly, or do not read responses.
import {
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Server } from 'node:net'
import { createBans } from './bans.ts'
import { type ClientAddresses, createClientAddresses } from './client-address.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import { gateConnections } from './gate.ts'
import { createHandshakeShares } from './handshakes.ts'
import type { PortServer } from './listen.ts'
import { createOverhead } from './overhead.ts'
import { createPieceAllowance, limitPieces, type PieceAllowance } from './pieces.ts'
import type { ServerTls } from './server-tls.ts'
import { createStreamTurns } from './stream-turns.ts'

export type { ServerHttp2Stream as Stream } from 'node:http2'

/** `rawHeaders` alternates names and values as received. */
export type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) => void

export interface StreamServerOptions {
  readonly handle: StreamHandler
  readonly onDefect: (error: unknown) => void
  readonly connections: ConnectionLimits
  /** If a connection has had no streams for this time, it is closed. */
  readonly idleMs: number
  /** If the first request of a connection does not begin within this time, the connection is closed. */
  readonly firstStreamMs: number
  /** Time in which a client must read a response. The stream of a slower client is cut. */
  readonly answerMs: number
  /** Finds the address of a client. By default, this is the address of the connection's peer. */
  readonly addresses?: ClientAddresses
  readonly tls?: ServerTls | undefined
  /** Called if a server without TLS, which accepts only HTTP/2, gets a connection with TLS or HTTP/1. */
  readonly onForeign?: (() => void) | undefined
}

const KiB = 1024

/**
 * Maximum number of concurrent requests on a connection. It is low because the data of each request is buffered until the handler reads it.
 */
const maxConcurrentStreams = 100
const streamWindowBytes = 128 * KiB
const connectionWindowBytes = 1024 * KiB
const maxHeaderBytes = 16 * KiB

/**
 * Maximum number of oversized header blocks per connection. Each block is rejected, but decoding it has already cost CPU time. Above this
 * number, the address is banned.
 */
const maxInvalidBlocks = 8
/**
 * Maximum number of streams that are rejected before a handler sees them. The maximum is not 0, because a client can open more than
 * `maxConcurrentStreams` streams before it reads the server's settings.
 */
const maxRefusedUnseen = 100
/**
 * If a handler rejects this many consecutive requests of a connection, the connection is closed. If the handler rejects them within
 * `rapidMs`, the client is also banned.
 */
const maxRefused = 64
const rapidMs = 30_000
/**
 * If a client does not read a response of a few hundred bytes within this time, the response counts as unread. Too many unread responses
 * close the connection.
 */
const untakenMs = 5_000
const maxUntaken = 16
/** Maximum number of new connections per second from one address. gRPC clients need few, because they keep their connections open. */
const connectionsPerSecond = 100
const checkMs = 50

const settings = { maxConcurrentStreams, initialWindowSize: streamWindowBytes, maxHeaderListSize: maxHeaderBytes }

/** Time limit for a client that has completed the TLS handshake without choosing HTTP/2 (ALPN). */
const unknownProtocolTimeout = 1_000

/** NGHTTP2_ERR_BAD_CLIENT_MAGIC: the connection does not begin with the preface of HTTP/2. */
const badMagic = -903

/** Creates an HTTP/2 server that does not listen yet. Without TLS, clients cannot negotiate the protocol: they must begin with HTTP/2. */
export function createStreamServer(options: StreamServerOptions): PortServer {
  const { handle, onDefect, connections, idleMs, firstStreamMs, answerMs, addresses = createClientAddresses([]), tls, onForeign } = options
  const sessions = new Map<ServerHttp2Session, Activity>()
  const bans = createBans(addresses)
  const takePiece = createPieceAllowance()
  const inTurn = createStreamTurns()
  const limits = { settings, maxSessionInvalidFrames: maxInvalidBlocks, maxSessionRejectedStreams: maxRefusedUnseen }
  const server = tls ? createSecureServer({ ...tls.options(), ...limits, unknownProtocolTimeout }) : createServer(limits)
  const handshakes = 'setSecureContext' in server ? tls!.guard(server) : undefined
  // Without a listener, the error of a broken connection would end the process.
  server.on('sessionError', (error: NodeJS.ErrnoException, session: ServerHttp2Session) => {
    if (error.errno === badMagic) onForeign?.()
    if (error.code === 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES') sessions.get(session)?.ban()
  })
  server.on('session', session => {
    const { remoteAddress } = session.socket
    const activity = watch(session, {
      ...{ idleMs, firstStreamMs, answerMs: Math.min(answerMs, untakenMs) },
      ban: () => bans.addPeer(remoteAddress),
      isBanned: () => bans.hasPeer(remoteAddress),
      takePiece,
    })
    sessions.set(session, activity)
    activities.set(session, activity)
    session.setLocalWindowSize(connectionWindowBytes)
    session.on('close', () => {
      activity.end()
      sessions.delete(session)
    })
  })
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
    stream.on('error', () => {})
    const { session } = stream
    if (session === undefined) return
    sessions.get(session as ServerHttp2Session)?.began(stream)
    inTurn(session, () => {
      if (stream.destroyed) return
      try {
        handle(stream, headers, rawHeaders)
      } catch (error) {
        stream.close(constants.NGHTTP2_INTERNAL_ERROR)
        onDefect(error)
      }
    })
  })
  const checks = setInterval(() => {
    for (const activity of sessions.values()) activity.check()
  }, checkMs).unref()
  server.once('close', () => clearInterval(checks))
  if (!tls) limitRate(server, addresses)
  limitConnections(server, connections, { silent: tls !== undefined })
  bans.enforce(server)
  return Object.assign(server, {
    // After GOAWAY, the client can still finish its streams.
    closeIdleConnections() {
      for (const session of sessions.keys()) if (!session.closed) session.close()
    },
    closeAllConnections() {
      for (const session of sessions.keys()) session.destroy()
      handshakes?.closeAll()
    },
  })
}

/** Limits the rate of new connections without TLS. Connections with TLS already have a limit for handshakes. */
function limitRate(server: Server, addresses: ClientAddresses): void {
  const begin = createHandshakeShares(connectionsPerSecond)
  gateConnections(server, socket => {
    const address = addresses.ofPeer(socket.remoteAddress)
    if (address === undefined) return true
    const release = begin(address)
    if (release === undefined) socket.destroy()
    else release()
    return release !== undefined
  })
}

interface Activity {
  began(stream: ServerHttp2Stream): void
  answered(stream: ServerHttp2Stream, isRefusal: boolean): void
  check(): void
  ban(): void
  end(): void
}

const activities = new WeakMap<object, Activity>()

/**
 * The server must call this function after every response on a stream. `isRefusal` is true if the response reports an error of the client.
 */
export function noteAnswered(stream: ServerHttp2Stream, isRefusal: boolean): void {
  if (stream.session) activities.get(stream.session)?.answered(stream, isRefusal)
}

interface WatchOptions extends Pick<StreamServerOptions, 'idleMs' | 'firstStreamMs' | 'answerMs'> {
  readonly ban: () => void
  readonly isBanned: () => boolean
  readonly takePiece: PieceAllowance
}

/** Only requests count as activity: one byte now and then must not keep a connection open. */
function watch(session: ServerHttp2Session, { idleMs, firstStreamMs, answerMs, ban, isBanned, takePiece }: WatchOptions): Activity {
  const { socket } = session
  const overhead = createOverhead()
  let open = 0
  let untaken = 0
  let refused = 0
  let refusedSince = 0
  let timer = setTimeout(() => session.destroy(), firstStreamMs)
  return {
    began(stream) {
      clearTimeout(timer)
      open++
      overhead.accountFor(maxHeaderBytes + streamWindowBytes)
      limitPieces(stream, { isBanned, takePiece, onExcess: expel, onPiece: overhead.accountFor })
      stream.once('close', () => {
        open--
        if (open > 0 || session.destroyed) return
        clearTimeout(timer)
        timer = setTimeout(leave, idleMs)
      })
    },
    answered(stream, isRefusal) {
      untaken++
      const giveUp = setTimeout(() => (untaken < maxUntaken ? cut(stream) : expel()), answerMs)
      stream.once('close', () => {
        untaken--
        clearTimeout(giveUp)
      })
      if (!isRefusal) refused = 0
      else if (refused++ === 0) refusedSince = performance.now()
      if (refused < (isBanned() ? 1 : maxRefused) || session.closed) return
      if (performance.now() - refusedSince < rapidMs) ban()
      clearTimeout(timer)
      leave()
    },
    check() {
      if (!session.destroyed && overhead.isExceeded(socket.bytesRead)) expel()
    },
    ban,
    end: () => clearTimeout(timer),
  }

  /** Drops unsent data. Also sends RST_STREAM, because the client may still read and would otherwise wait for the rest. */
  function cut(stream: ServerHttp2Stream): void {
    stream.close(constants.NGHTTP2_CANCEL)
    stream.destroy()
  }

  function expel(): void {
    ban()
    session.destroy()
  }

  /** Sends GOAWAY, and closes the connection if the client does not. */
  function leave(): void {
    session.close()
    timer = setTimeout(() => session.destroy(), firstStreamMs)
  }
}

// The only factory of HTTP/2 servers, for gRPC. An error that a handler throws fails its stream and never the process. The
// server closes a connection that sends no request, is rejected repeatedly, or does not read its responses.
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
  /** Receives an error that a handler threw. */
  readonly onDefect: (error: unknown) => void
  /** Connections beyond these limits are rejected before any byte is parsed. */
  readonly connections: ConnectionLimits
  /** The server closes a connection after this time without a stream; clients reconnect when needed. */
  readonly idleMs: number
  /** Time limit for the first request of a connection. */
  readonly firstStreamMs: number
  /** Time limit for the client to read a response; beyond it, the server cuts the stream. */
  readonly answerMs: number
  /** Finds client addresses for bans; defaults to the connection's peer. */
  readonly addresses?: ClientAddresses
  /** When present, the server accepts only TLS. */
  readonly tls?: ServerTls | undefined
  /** Called when a client speaks TLS or HTTP/1 to a server without TLS. */
  readonly onForeign?: (() => void) | undefined
}

const KiB = 1024

/** Concurrent requests of a connection; each may have sent some data before the handler reads it. */
const maxConcurrentStreams = 100
const streamWindowBytes = 128 * KiB
const connectionWindowBytes = 1024 * KiB
const maxHeaderBytes = 16 * KiB

/**
 * Maximum number of header blocks of a connection whose decoded size exceeds the limit. Decoding such a block costs CPU although the
 * request is rejected. A connection with more such blocks is closed, and its address is banned.
 */
const maxInvalidBlocks = 8
/**
 * Maximum streams of a connection that the server rejects before a handler sees them, as when a client opens too many before it
 * has read the settings.
 */
const maxRefusedUnseen = 100
/**
 * Maximum consecutive requests of a connection that a handler rejects. A client that reaches this limit within the duration of a ban is
 * banned; other clients may reconnect.
 */
const maxRefused = 64
const rapidMs = 30_000
/** The client of a connection has this time to read a response of a few hundred bytes; with this many unread, the connection ends. */
const untakenMs = 5_000
const maxUntaken = 16
/** Maximum new connections of an address per second; gRPC clients keep their connections open. */
const connectionsPerSecond = 100
const checkMs = 50

const settings = { maxConcurrentStreams, initialWindowSize: streamWindowBytes, maxHeaderListSize: maxHeaderBytes }

/** Timeout for a client that completes the handshake without negotiating HTTP/2 (ALPN). */
const unknownProtocolTimeout = 1_000

/** NGHTTP2_ERR_BAD_CLIENT_MAGIC: the connection does not begin with the HTTP/2 preface. */
const badMagic = -903

/** An HTTP/2 server that does not listen yet; without TLS it requires prior knowledge. */
export function createStreamServer(options: StreamServerOptions): PortServer {
  const { handle, onDefect, connections, idleMs, firstStreamMs, answerMs, addresses = createClientAddresses([]), tls, onForeign } = options
  const sessions = new Map<ServerHttp2Session, Activity>()
  const bans = createBans(addresses)
  const takePiece = createPieceAllowance()
  const inTurn = createStreamTurns()
  const limits = { settings, maxSessionInvalidFrames: maxInvalidBlocks, maxSessionRejectedStreams: maxRefusedUnseen }
  const server = tls ? createSecureServer({ ...tls.options(), ...limits, unknownProtocolTimeout }) : createServer(limits)
  const handshakes = 'setSecureContext' in server ? tls!.guard(server) : undefined
  // A connection that breaks is the client's concern; without a listener, the error would end the process.
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
    // The close is graceful: a client that receives GOAWAY may finish its streams.
    closeIdleConnections() {
      for (const session of sessions.keys()) if (!session.closed) session.close()
    },
    closeAllConnections() {
      for (const session of sessions.keys()) session.destroy()
      handshakes?.closeAll()
    },
  })
}

/** Limits the rate of new connections without TLS. With TLS, the limit of handshakes has this effect. */
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
  /** Ends a connection that sends frames and no requests. */
  check(): void
  ban(): void
  end(): void
}

const activities = new WeakMap<object, Activity>()

/** Must be called when the response of a stream is complete. `isRefusal` marks responses to client errors. */
export function noteAnswered(stream: ServerHttp2Stream, isRefusal: boolean): void {
  if (stream.session) activities.get(stream.session)?.answered(stream, isRefusal)
}

interface WatchOptions extends Pick<StreamServerOptions, 'idleMs' | 'firstStreamMs' | 'answerMs'> {
  readonly ban: () => void
  readonly isBanned: () => boolean
  readonly takePiece: PieceAllowance
}

/** Only requests count as activity: a client that sends a byte now and then would otherwise stay connected forever. */
function watch(session: ServerHttp2Session, { idleMs, firstStreamMs, answerMs, ban, isBanned, takePiece }: WatchOptions): Activity {
  const { socket } = session
  const overhead = createOverhead()
  let open = 0
  let untaken = 0
  /** Consecutive rejections, and the time of the first. */
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

  /** Notifies the client, if it still reads, and drops unsent data. */
  function cut(stream: ServerHttp2Stream): void {
    stream.close(constants.NGHTTP2_CANCEL)
    stream.destroy()
  }

  function expel(): void {
    ban()
    session.destroy()
  }

  /** Sends GOAWAY first, then closes the connection if the client does not. */
  function leave(): void {
    session.close()
    timer = setTimeout(() => session.destroy(), firstStreamMs)
  }
}

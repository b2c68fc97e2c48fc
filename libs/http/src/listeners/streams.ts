// The one way to make an HTTP/2 server here, for gRPC: what a handler throws costs its stream and never the
// process; a connection that asks nothing, is refused again and again, or does not take its answers, ends.
import {
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { createBans } from './bans.ts'
import { type ClientAddresses, createClientAddresses } from './client-address.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import type { PortServer } from './listen.ts'
import type { ServerTls } from './server-tls.ts'

export type { ServerHttp2Stream as Stream } from 'node:http2'

/** `rawHeaders`: names and values by turns, as they came. */
export type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) => void

export interface StreamServerOptions {
  readonly handle: StreamHandler
  /** Told what a handler threw. */
  readonly onDefect: (error: unknown) => void
  /** Connections above them are refused before a byte is parsed. */
  readonly connections: ConnectionLimits
  /** A connection on which nothing has run for so long is closed; clients open another when they want one. */
  readonly idleMs: number
  /** For the first request of a connection. */
  readonly firstStreamMs: number
  /** For the client to take an answer; then its stream is cut. */
  readonly answerMs: number
  /** Who a client is, for bans; not set: its connection's other end. */
  readonly addresses?: ClientAddresses
  /** With it the server speaks TLS, and nothing else. */
  readonly tls?: ServerTls | undefined
  /** Told of a client that speaks TLS, or HTTP/1, to a server without it. */
  readonly onForeign?: (() => void) | undefined
}

const KiB = 1024

/** Requests of a connection at a time, and what each may have sent before anybody has read of it. */
const maxConcurrentStreams = 100
const streamWindowBytes = 128 * KiB
const connectionWindowBytes = 1024 * KiB
const maxHeaderBytes = 16 * KiB

/**
 * Header blocks of a connection that expand beyond the limit: what a block expands to is decoded all the same, so a connection that goes on ends, and its
 * address waits.
 */
const maxInvalidBlocks = 8
/** Streams of a connection that are refused before a handler sees them: those of a client that opens too many before it has read the settings. */
const maxRefusedUnseen = 100
/** Requests of a connection that a handler refuses in a row. Whoever sends as many within the time of a ban is banned, others connect again. */
const maxRefused = 64
const rapidMs = 30_000

const settings = { maxConcurrentStreams, initialWindowSize: streamWindowBytes, maxHeaderListSize: maxHeaderBytes }

/** For a client that shakes hands and does not name HTTP/2 (ALPN). */
const unknownProtocolTimeout = 1_000

/** NGHTTP2_ERR_BAD_CLIENT_MAGIC: the connection begins with something else. */
const badMagic = -903

/** An HTTP/2 server, without TLS with prior knowledge, that is not listening yet. */
export function createStreamServer(options: StreamServerOptions): PortServer {
  const { handle, onDefect, connections, idleMs, firstStreamMs, answerMs, addresses = createClientAddresses([]), tls, onForeign } = options
  const sessions = new Map<ServerHttp2Session, Activity>()
  const bans = createBans(addresses)
  const limits = { settings, maxSessionInvalidFrames: maxInvalidBlocks, maxSessionRejectedStreams: maxRefusedUnseen }
  const server = tls ? createSecureServer({ ...tls.options(), ...limits, unknownProtocolTimeout }) : createServer(limits)
  const handshakes = 'setSecureContext' in server ? tls!.guard(server) : undefined
  // A connection that breaks is the client's affair; without a listener the error would end the process.
  server.on('sessionError', (error: NodeJS.ErrnoException, session: ServerHttp2Session) => {
    if (error.errno === badMagic) onForeign?.()
    if (error.code === 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES') sessions.get(session)?.ban()
  })
  server.on('session', session => {
    const { remoteAddress } = session.socket
    const activity = watch(session, { idleMs, firstStreamMs, answerMs }, () => bans.addPeer(remoteAddress))
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
    if (stream.session) sessions.get(stream.session as ServerHttp2Session)?.began(stream)
    try {
      handle(stream, headers, rawHeaders)
    } catch (error) {
      stream.close(constants.NGHTTP2_INTERNAL_ERROR)
      onDefect(error)
    }
  })
  limitConnections(server, connections, { silent: tls !== undefined })
  bans.enforce(server)
  return Object.assign(server, {
    // Not at once: a client that is being told to go elsewhere may finish what it has begun.
    closeIdleConnections() {
      for (const session of sessions.keys()) if (!session.closed) session.close()
    },
    closeAllConnections() {
      for (const session of sessions.keys()) session.destroy()
      handshakes?.closeAll()
    },
  })
}

interface Activity {
  began(stream: ServerHttp2Stream): void
  answered(stream: ServerHttp2Stream, isRefusal: boolean): void
  ban(): void
  end(): void
}

const activities = new WeakMap<object, Activity>()

/** To be called when a stream was answered. `isRefusal`: for what the client is to blame. */
export function noteAnswered(stream: ServerHttp2Stream, isRefusal: boolean): void {
  if (stream.session) activities.get(stream.session)?.answered(stream, isRefusal)
}

/** Bytes are no activity, or whoever sends one now and then would stay for ever: requests are. */
function watch(
  session: ServerHttp2Session,
  { idleMs, firstStreamMs, answerMs }: Pick<StreamServerOptions, 'idleMs' | 'firstStreamMs' | 'answerMs'>,
  ban: () => void,
): Activity {
  let open = 0
  /** In a row, and when the first of them was. */
  let refused = 0
  let refusedSince = 0
  let timer = setTimeout(() => session.destroy(), firstStreamMs)
  return {
    began(stream) {
      clearTimeout(timer)
      open++
      stream.once('close', () => {
        open--
        if (open > 0 || session.destroyed) return
        clearTimeout(timer)
        timer = setTimeout(leave, idleMs)
      })
    },
    answered(stream, isRefusal) {
      const untaken = setTimeout(() => cut(stream), answerMs)
      stream.once('close', () => clearTimeout(untaken))
      if (!isRefusal) refused = 0
      else if (refused++ === 0) refusedSince = performance.now()
      if (refused < maxRefused || session.closed) return
      if (performance.now() - refusedSince < rapidMs) ban()
      clearTimeout(timer)
      leave()
    },
    ban,
    end: () => clearTimeout(timer),
  }

  /** The client is told, if it reads anything; what was to be sent is given up. */
  function cut(stream: ServerHttp2Stream): void {
    stream.close(constants.NGHTTP2_CANCEL)
    stream.destroy()
  }

  /** GOAWAY first; who does not hang up then is hung up on. */
  function leave(): void {
    session.close()
    timer = setTimeout(() => session.destroy(), firstStreamMs)
  }
}

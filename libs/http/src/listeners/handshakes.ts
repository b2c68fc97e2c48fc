// Limits the cost of TLS handshakes. A handshake takes a millisecond of CPU for some hundred bytes, so a client that keeps
// opening connections could occupy the event loop, and a client that never finishes one would hold memory.
import type { Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { gateConnections } from './gate.ts'
import type { Handshakes } from './server-tls.ts'

export const handshakeOutcomes = ['done', 'refused', 'timeout', 'left', 'plaintext', 'failed'] as const
type HandshakeOutcome = (typeof handshakeOutcomes)[number]

export interface HandshakeOptions {
  /** Number of handshakes that one address can start per second, and concurrently. */
  readonly perSecond: number
  readonly timeoutMs: number
  readonly addresses: Pick<ClientAddresses, 'ofPeer'>
  /** `code` is the error's code, if it has one. */
  readonly onEnd: (outcome: HandshakeOutcome, client: { readonly address: string | undefined; readonly code?: string | undefined }) => void
  readonly clock?: () => number
}

/** If there are more addresses, the one that was used least recently is dropped; its share is full again by then. */
const maxAddresses = 10_000

interface Share {
  tokens: number
  atMs: number
  running: number
}

/** Whether this address may start another handshake; the caller reports the end through the returned function. */
export function createHandshakeShares(perSecond: number, clock: () => number = () => performance.now()) {
  const shares = new LRUCache<string, Share>({ max: maxAddresses })
  return (address: string): (() => void) | undefined => {
    const nowMs = clock()
    const share = shares.get(address) ?? { tokens: perSecond, atMs: nowMs, running: 0 }
    share.tokens = Math.min(perSecond, share.tokens + ((nowMs - share.atMs) / 1000) * perSecond)
    share.atMs = nowMs
    shares.set(address, share)
    if (share.tokens < 1 || share.running >= perSecond) return undefined
    share.tokens--
    share.running++
    return () => void share.running--
  }
}

const plaintextCodes = new Set(['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER'])

function outcomeOf(code: string | undefined): HandshakeOutcome {
  if (code === 'ECONNRESET') return 'left'
  return code !== undefined && plaintextCodes.has(code) ? 'plaintext' : 'failed'
}

/**
 * Returns an identifier of a connection. The server sees a raw socket and a TLS socket of each connection, and both have the same
 * identifier.
 */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Must be called before the server listens and before any other connection filter. */
export function limitHandshakes(server: TlsServer, { perSecond, timeoutMs, addresses, onEnd, clock }: HandshakeOptions): Handshakes {
  const begin = createHandshakeShares(perSecond, clock)
  const running = new Map<string, { readonly socket: Socket; end(outcome: HandshakeOutcome, code?: string): void }>()

  function watch(socket: Socket, release: (() => void) | undefined): void {
    const client = clientOf(socket)
    const address = socket.remoteAddress
    // The time starts when the connection is opened. Received bytes do not extend this time, because a client could then hold the
    // connection with one byte a second.
    const timer = setTimeout(() => {
      end('timeout')
      socket.destroy()
    }, timeoutMs)
    function end(outcome: HandshakeOutcome, code?: string): void {
      if (!running.delete(client)) return
      clearTimeout(timer)
      release?.()
      onEnd(outcome, { address, code })
    }
    running.set(client, { socket, end })
    socket.once('close', () => end('left'))
  }

  gateConnections(server, socket => {
    const address = addresses.ofPeer(socket.remoteAddress)
    const release = address === undefined ? undefined : begin(address)
    if (address !== undefined && release === undefined) {
      socket.on('error', () => {})
      onEnd('refused', { address: socket.remoteAddress })
      socket.destroy()
      return false
    }
    watch(socket, release)
    return true
  })
  server.on('secureConnection', socket => running.get(clientOf(socket))?.end('done'))
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) =>
    running.get(clientOf(socket))?.end(outcomeOf(error.code), error.code),
  )

  return {
    closeAll() {
      for (const { socket } of [...running.values()]) socket.destroy()
    },
  }
}

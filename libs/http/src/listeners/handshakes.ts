// Limits what TLS handshakes can cost. A client can start a handshake with a few hundred bytes, and the handshake takes a millisecond of
// CPU time. A client that constantly opens connections could occupy the event loop with handshakes. A client that never finishes a
// handshake would occupy memory.
import type { Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { gateConnections } from './gate.ts'
import type { Handshakes } from './server-tls.ts'

export const handshakeOutcomes = ['done', 'refused', 'timeout', 'left', 'plaintext', 'failed'] as const
type HandshakeOutcome = (typeof handshakeOutcomes)[number]

export interface HandshakeOptions {
  /** Handshakes that one address can start per second; also the maximum number of its concurrent handshakes. */
  readonly perSecond: number
  readonly timeoutMs: number
  readonly addresses: Pick<ClientAddresses, 'ofPeer'>
  /** `code` is the error's code; undefined without an error. */
  readonly onEnd: (outcome: HandshakeOutcome, client: { readonly address: string | undefined; readonly code?: string | undefined }) => void
  readonly clock?: () => number
}

/**
 * Above this number of addresses, the least recently used one is dropped. The least recently used address has been idle for so long that it
 * has its full share again.
 */
const maxAddresses = 10_000

interface Share {
  tokens: number
  atMs: number
  running: number
}

/**
 * Returns undefined if the address may not start another handshake. Returns a function by which the caller reports the end of an admitted
 * handshake.
 */
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

/** Returns an identifier for a connection. Each TLS connection has a raw socket and a TLS socket with the same identifier. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Must be called before the server listens and before any other filter of connections. */
export function limitHandshakes(server: TlsServer, { perSecond, timeoutMs, addresses, onEnd, clock }: HandshakeOptions): Handshakes {
  const begin = createHandshakeShares(perSecond, clock)
  const running = new Map<string, { readonly socket: Socket; end(outcome: HandshakeOutcome, code?: string): void }>()

  function watch(socket: Socket, release: (() => void) | undefined): void {
    const client = clientOf(socket)
    const address = socket.remoteAddress
    // The time limit begins when the connection opens; arriving bytes do not extend it. A client must not keep the connection open with one
    // byte a second.
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
